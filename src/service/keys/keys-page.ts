/** The keys of every organization of this service, for its operators. */
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { DateTime } from 'luxon';
import { z } from 'zod';
import { orUnavailable } from '../../core/base/errors.ts';
import type { Parsed } from '../../core/contract/contract.ts';
import { findForgery } from '../../core/web/form-token.ts';
import type { PageFrame } from '../../core/web/page-document.tsx';
import { placeOf, rootFrom } from '../../core/web/page-place.ts';
import { isJustProven, operatorOf } from '../../core/web/sign-in/sign-in-desk.ts';
import { listApiKeys, listOrganizationNames } from '../store/api-keys-made.ts';
import { KEYS_STYLE } from './keys-page-style.ts';
import { KeysView, type Message } from './keys-page-views.tsx';
import {
  changeApiKey,
  createApiKey,
  DEFAULT_GRACE_HOURS,
  graceHours,
  type KeyDeps,
  keyLimit,
  keyName,
  newKeyId,
  revokeApiKey,
  rotateApiKey,
} from './manage-api-keys.ts';

export interface KeysPageDeps extends KeyDeps {
  requestsPerSecond: number;
}

const FORM_LIMIT = '10kb';

/** At whatever path it is served: its forms go to where it was read. */
export function createKeysPage(deps: KeysPageDeps, frame: PageFrame): RequestHandler {
  const page = { deps, frame };
  const router = Router();
  router.use(frame.require);
  const readForm = express.urlencoded({ extended: false, limit: FORM_LIMIT });
  router.use(readForm, (request, response, next) => {
    if (request.method === 'POST') return takeForm(page, request, response);
    if (request.method === 'GET') return showPage(page, request, response, undefined);
    return next();
  });
  return router;
}

interface Page {
  readonly deps: KeysPageDeps;
  readonly frame: PageFrame;
}

/** What ends a key brings it back to nobody: whoever asks for it has proven who it is just before. */
const FINAL: ReadonlySet<string> = new Set(['rotate', 'revoke']);

async function takeForm(page: Page, request: Request, response: Response): Promise<void> {
  const fields = z.record(z.string(), z.unknown()).safeParse(request.body).data ?? {};
  const { name, token } = operatorOf(response);
  const forgery = findForgery(request, fields.token, [token]);
  if (forgery !== undefined) {
    page.deps.logger.warn({ reason: forgery }, 'a form of the page of API keys was refused');
    response.status(403);
    const text = `Nothing was changed: ${forgery}. Try again from here.`;
    return showPage(page, request, response, refusal(text));
  }
  if (FINAL.has(String(fields.do)) && !isJustProven(operatorOf(response), page.deps.clock.now())) {
    const place = encodeURIComponent(placeOf(request));
    return response.redirect(303, `${rootFrom(request)}login?again&to=${place}`);
  }
  const message = await orUnavailable(handleForm({ ...page.deps, by: name }, fields));
  if (message.kind === 'refused') response.status(400);
  return showPage(page, request, response, message);
}

/** An empty field of a form is one that was left out. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

const form = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('create'),
    id: z.string(),
    organization: z.string(),
    name: keyName,
    limit: optional(keyLimit),
  }),
  z.object({ do: z.literal('rotate'), id: z.string(), grace: graceHours.default(DEFAULT_GRACE_HOURS) }),
  z.object({ do: z.literal('revoke'), id: z.string() }),
  z.object({ do: z.literal('change'), id: z.string(), name: optional(keyName), limit: optional(keyLimit) }),
]);

async function handleForm(deps: KeyDeps, fields: Record<string, unknown>): Promise<Message> {
  const parsed = form.safeParse(fields);
  if (!parsed.success) return refusal(`${parsed.error.issues[0]?.message ?? 'The form is not complete'}.`);
  const { data } = parsed;
  const { id } = data;
  if (data.do === 'create')
    return describeSecret(await createApiKey(deps, { ...data, requestsPerSecond: data.limit }), undefined);
  if (data.do === 'rotate') {
    const expiresAt = deps.clock.now().plus({ hours: data.grace });
    return describeSecret(await rotateApiKey(deps, id, { hours: data.grace }), { id, expiresAt });
  }
  if (data.do === 'revoke') return toMessage(await revokeApiKey(deps, id), `${id} is revoked.`);
  const change = { name: data.name, requestsPerSecond: data.limit };
  return toMessage(await changeApiKey(deps, id, change), `${id} is changed.`);
}

function describeSecret(
  made: Parsed<{ id: string; secret: string }>,
  replaced: { id: string; expiresAt: DateTime } | undefined,
): Message {
  return made.ok ? { kind: 'made', ...made.value, replaced } : refusal(made.message);
}

function toMessage(result: Parsed<unknown>, text: string): Message {
  return result.ok ? { kind: 'done', text } : refusal(result.message);
}

function refusal(text: string): Message {
  return { kind: 'refused', text };
}

async function showPage(
  { deps, frame }: Page,
  request: Request,
  response: Response,
  message: Message | undefined,
): Promise<void> {
  const { database, requestsPerSecond } = deps;
  const [keys, organizations] = await orUnavailable(
    Promise.all([listApiKeys(database), listOrganizationNames(database)]),
  );
  const main = KeysView({
    keys,
    organizations,
    requestsPerSecond,
    now: deps.clock.now(),
    token: operatorOf(response).token,
    freshId: newKeyId(),
    message,
  });
  await frame.send(request, response, { title: 'API keys', main, style: KEYS_STYLE });
}
