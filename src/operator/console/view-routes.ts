/** Views of lists, each operator's own: saved and removed by anybody who is signed in, since nothing else changes. */
import express, { type Request, type Router } from 'express';
import { z } from 'zod';
import { findForgery } from '../../http/form-token.ts';
import { rootFrom, toPlace } from '../../http/page-place.ts';
import { operatorOf } from '../../http/sign-in/sign-in-desk.ts';
import type { Clock } from '../../kit/clock.ts';
import { orUnavailable } from '../../kit/errors.ts';
import type { Database } from '../../store/engine/database.ts';
import { listViews, removeView, type SavedView, saveView } from '../../store/tables/saved-views.ts';
import type { ShownViews } from './parts/saved-views.tsx';

const LISTS: ReadonlySet<string> = new Set(['invoices', 'customers', 'mails', 'audit']);
/** Where a list is read, and how it came there, is no part of what it is narrowed to. */
const PASSING: ReadonlySet<string> = new Set(['after', 'before', 'do', 'why', 'line']);

const form = z.object({
  do: z.enum(['save', 'remove']),
  name: z
    .string()
    .trim()
    .regex(/^[^\p{Cc}\p{Cs}]{1,60}$/u),
  back: z.string(),
  token: z.string(),
});

interface ViewDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** Registered before the pages. What does not fit changes nothing: the list is shown again, as it is. */
export function addViews(pages: Router, { database, clock }: ViewDeps): void {
  pages.post('/views', express.urlencoded({ extended: false, limit: '10kb' }), async (request, response) => {
    const operator = operatorOf(response);
    const asked = form.safeParse(request.body).data;
    const back = toPlace(asked?.back);
    const [list = '', query = ''] = back.split('?');
    if (!asked || !LISTS.has(list) || findForgery(request, asked.token, [operator.token]) !== undefined)
      return response.redirect(303, rootFrom(request));
    const key = { operator: operator.name, list, name: asked.name };
    const filters = filtersIn(Object.fromEntries(new URLSearchParams(query)));
    if (asked.do === 'remove') await orUnavailable(removeView(database, key));
    else if (!(await orUnavailable(saveView(database, { ...key, filters }, clock.now()))))
      return void response
        .status(409)
        .type('text')
        .send('Nothing was saved: remove another view of this list first.');
    response.redirect(303, `${rootFrom(request)}${back}`);
  });
}

/** Of the list that a page shows; undefined for every other page. */
export async function findViews(
  database: Database,
  request: Request,
  { name: operator, token }: { readonly name: string; readonly token: string },
): Promise<ShownViews | undefined> {
  const list = request.path.slice(1);
  if (!LISTS.has(list)) return undefined;
  const views = await orUnavailable(listViews(database, { operator, list }));
  return { list, views, token, filters: filtersIn(request.query) };
}

function filtersIn(query: Readonly<Record<string, unknown>>): SavedView['filters'] {
  return Object.fromEntries(
    Object.entries(query).filter(
      (part): part is [string, string] =>
        typeof part[1] === 'string' && part[1] !== '' && !PASSING.has(part[0]),
    ),
  );
}
