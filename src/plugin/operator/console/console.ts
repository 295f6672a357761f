/** `/console`: money, failed invoices and the state of the work, as pages. What is changed is changed by operations alone. */
import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import { z } from 'zod';
import type { Clock } from '../../../core/base/clock.ts';
import {
  blameText,
  InvalidRequestError,
  isError,
  orUnavailable,
  StoreUnavailableError,
} from '../../../core/base/errors.ts';
import type { Logger } from '../../../core/base/logger.ts';
import type { Database } from '../../../core/database/database.ts';
import { createGuessTable } from '../../../core/database/guess-table.ts';
import { findForgery } from '../../../core/web/form-token.ts';
import { describePath } from '../../../core/web/logged-path.ts';
import type { PageFrame } from '../../../core/web/page-document.tsx';
import { placeOf, rootFrom, toPlace } from '../../../core/web/page-place.ts';
import { allowFrame, allowOnPage, createPageHeaders } from '../../../core/web/page-protection.ts';
import { createSignIn } from '../../../core/web/sign-in/sign-in.ts';
import { hasRole, operatorOf } from '../../../core/web/sign-in/sign-in-desk.ts';
import { cleanName } from '../../mails/clean-name.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { publicAddress } from '../../settings/own-paths.ts';
import { deriveSecret } from '../../settings/service-settings.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import { listPauses } from '../../store/tables/retry/pauses.ts';
import { listViews, removeView, type SavedView, saveView } from '../../store/tables/saved-views.ts';
import { createSessionTable } from '../../store/tables/session-table.ts';
import { describePauses } from '../text/describe-pauses.ts';
import { type ConsolePage, Notice, renderConsolePage, renderOuterPage } from './console-layout.tsx';
import { FILES, PAGES } from './console-pages.ts';
import { CONSOLE_STYLE } from './console-style.ts';
import { lookUp } from './invoices/invoice-page.ts';
import { LIVE_NAME, LIVE_SCRIPT } from './live-script.ts';
import { sendMailBody } from './mails/mail-pages.ts';
import { addOperations, answerOf, keepForm } from './operation-routes.ts';
import { notFound, type Page, type PageDeps } from './page-answer.ts';
import { readerOf } from './page-reader.ts';
import type { ShownViews } from './parts/saved-views.tsx';

export interface ConsoleDeps extends PageDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** From the settings or from memory. */
  readonly merchantName?: (account: string) => Promise<string>;
  /** The page of API keys of a service that runs in this process. */
  readonly keysPage?: ((frame: PageFrame) => RequestHandler) | undefined;
}

/** Nothing while nobody may sign in, and no sign that there could be a console. */
export function createConsole(deps: ConsoleDeps): Router {
  const router = Router();
  const { signIn: settings, stripe, publicUrl } = deps.config;
  if (settings === undefined) return router;
  const signIn = createSignIn({
    settings,
    table: createSessionTable(deps.database, 'payment_retry'),
    guesses: createGuessTable(deps.database, 'payment_retry'),
    clock: deps.clock,
    logger: deps.logger,
    key: deriveSecret(stripe.secretKey, 'console sessions'),
    rootUrl: publicAddress(publicUrl, 'console/'),
    home: '',
    placeOfForm: (request, fields) => keepForm(placeOf(request), fields),
    render: renderOuterPage,
    note: async ({ kind, ...detail }) => {
      const entry = { account: OWN_ACCOUNT, at: deps.clock.now(), invoiceId: undefined };
      await recordAudit(deps.database, { ...entry, kind: `operator.${kind}`, detail });
    },
  });
  const pages = Router();
  pages.use(...createPageHeaders(CONSOLE_STYLE, { scripts: true }), signIn.router, signIn.require);
  addPages(pages, deps);
  pages.use(answerFailures(deps.logger));
  router.use('/console', pages);
  return router;
}

function addPages(pages: Router, deps: ConsoleDeps): void {
  pages.get(`/${LIVE_NAME}`, (_request, response) => void response.type('text/javascript').send(LIVE_SCRIPT));
  addOperations(pages, deps.operations);
  addViews(pages, deps);
  pages.get('/invoices', lookUp);
  for (const [path, send] of Object.entries(FILES))
    pages.get(path, (request, response) =>
      send(deps, { request, reader: readerOf(request, deps.clock.now()) }, response),
    );
  pages.get('/mails/:id/body', sendMailBody(deps));
  for (const [path, page] of Object.entries(PAGES)) pages.get(path, showPage(deps, page));
  // Not `use`, which would make it a root of its own.
  if (deps.keysPage) pages.all('/keys', deps.keysPage(frameOf(deps)));
  const nothing = notFound(
    'Nothing here',
    'The console has no page at this address. Choose one from the menu.',
  );
  pages.use(showPage(deps, async () => nothing));
}

function showPage(deps: ConsoleDeps, page: Page): RequestHandler {
  return async (request, response) => {
    const { status = 200, ...shown } = await page(deps, {
      request,
      reader: readerOf(request, deps.clock.now()),
      token: operatorOf(response).token,
    });
    if (answerOf(response) === undefined) response.status(status);
    if (shown.hasFrame) allowFrame(response);
    await sendPage(deps, request, response, shown);
  };
}

/** The console around a page of another part, which has been let in already. */
function frameOf(deps: ConsoleDeps): PageFrame {
  return {
    require: (_request, response, next) =>
      next(hasRole(operatorOf(response), 'administrator') ? undefined : 'router'),
    send: (request, response, page) => {
      allowOnPage(response, page);
      return sendPage(deps, request, response, { ...page, here: 'keys' });
    },
  };
}

async function sendPage(deps: ConsoleDeps, request: Request, response: Response, page: ConsolePage) {
  const alarms = describePauses(await orUnavailable(listPauses(deps.database)));
  const operator = operatorOf(response);
  const { name, token, role } = operator;
  const around = {
    root: rootFrom(request),
    token,
    operator: name,
    role,
    merchant: cleanName(await deps.merchantName?.(OWN_ACCOUNT).catch(() => undefined)),
    isLive: deps.config.livemode,
    hasKeys: deps.keysPage !== undefined && hasRole(operator, 'administrator'),
    installation: [
      ...describeInstallation(deps.config),
      `times in ${readerOf(request, deps.clock.now()).zone}`,
    ],
    alarms,
    answer: answerOf(response),
    reader: readerOf(request, deps.clock.now()),
    kept: keptForm.parse(request.query),
    views: await findViews(deps.database, request, operator),
  };
  response.type('html').send(renderConsolePage(page, around));
}

const keptForm = z.record(z.string(), z.string()).catch({});

function describeInstallation({ mode, service }: ConsoleDeps['config']): string[] {
  return [`${mode} mode`, `${service.kind} retry service`];
}

/** A page for each thing that can go wrong. It says what happened and what to do, and never what only the log may know. */
interface Failure {
  readonly status: number;
  readonly title: string;
  readonly sentences: readonly string[];
}

const UNAVAILABLE: Failure = {
  status: 503,
  title: 'The database does not answer',
  sentences: [
    'Nothing can be shown before it does. Events and instructions that come in meanwhile are refused, and their senders try again.',
    'Load the page again in a moment. If it stays so: is the server of DATABASE_URL running, and does it take connections from here? The log has the cause.',
  ],
};

const UNFORESEEN: Failure = {
  status: 500,
  title: 'Something unforeseen happened',
  sentences: ['The page could not be made; the log has the cause.'],
};

const UNREADABLE: Failure = {
  status: 400,
  title: 'The request could not be read',
  sentences: [
    'Neither the address nor the form makes sense. Go back to the console and try again from there.',
  ],
};

function answerFailures(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const { status, title, sentences } = toFailure(error);
    if (status >= 500)
      logger.error({ err: error, path: describePath(request.path), status }, 'a page of the console failed');
    if (status === 503) response.set('Retry-After', '5');
    const main = Notice({ title, sentences });
    response.status(status).type('html').send(renderOuterPage({ title, main }));
  };
}

/** Errors of body parsing and of addresses carry a 4xx status. */
function toFailure(raised: unknown): Failure {
  const error = blameText(raised);
  if (error instanceof InvalidRequestError) return UNREADABLE;
  if (error instanceof StoreUnavailableError) return UNAVAILABLE;
  const status = isError(error) && 'status' in error ? Number(error.status) : 500;
  return status >= 400 && status < 500 ? { ...UNREADABLE, status } : UNFORESEEN;
}

/** Views of lists, each operator's own: saved and removed by anybody who is signed in, since nothing else changes. */
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
function addViews(pages: Router, { database, clock }: ViewDeps): void {
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
async function findViews(
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
