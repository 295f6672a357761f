/** `/console`: money, failed invoices and the state of the work, as pages. What is changed is changed by operations alone. */
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Clock } from '../../clock.ts';
import { OWN_ACCOUNT } from '../../config/account.ts';
import type { Config } from '../../config/config.ts';
import { deriveSecret } from '../../config/service-settings.ts';
import { StoreUnavailableError } from '../../errors.ts';
import { publicAddress } from '../../http/own-paths.ts';
import type { PageFrame } from '../../http/page-frame.ts';
import { rootFrom } from '../../http/page-place.ts';
import { allowOnPage, createPageHeaders } from '../../http/page-protection.ts';
import { createSignIn } from '../../http/sign-in/sign-in.ts';
import { operatorOf } from '../../http/sign-in/sign-in-desk.ts';
import type { Logger } from '../../logger.ts';
import type { Database } from '../../store/engine/database.ts';
import { createGuessTable } from '../../store/engine/guess-table.ts';
import { findInvoiceHistory, type InvoiceHistory } from '../../store/reports/invoice-history.ts';
import { listFailures } from '../../store/reports/money/list-failures.ts';
import { refreshFailures } from '../../store/reports/money/refresh-failures.ts';
import { timingReports } from '../../store/reports/service-reports.ts';
import { readWorkStatus } from '../../store/reports/work-status.ts';
import { listLatestAudit } from '../../store/tables/audit.ts';
import { listPauses } from '../../store/tables/retry/pauses.ts';
import { createSessionTable } from '../../store/tables/session-table.ts';
import type { OperationDeps } from '../operations/operation.ts';
import { describePauses } from '../text/describe-pauses.ts';
import { answerFailures } from './console-failures.ts';
import { type ConsolePage, Notice, renderConsolePage, renderOuterPage } from './console-layout.tsx';
import { CONSOLE_STYLE } from './console-style.ts';
import { sendInvoiceCsv } from './invoices/invoice-csv.ts';
import { InvoiceListView } from './invoices/invoice-list-view.tsx';
import { placeAfter, ROWS, readInvoiceQuery, toFilter, toPage } from './invoices/invoice-query.ts';
import { InvoiceView } from './invoices/invoice-view.tsx';
import { LIVE_NAME, LIVE_SCRIPT } from './live-script.ts';
import { addOperations } from './operation-routes.tsx';
import { PERIODS, readMoneyFacts } from './overview/money-facts.ts';
import { OverviewView } from './overview/overview-view.tsx';
import { type Reader, readerOf } from './page-reader.ts';
import { AuditView } from './pages/audit-view.tsx';
import { HealthView } from './pages/health-view.tsx';
import { TimingView } from './timing-view.tsx';

export interface ConsoleDeps {
  readonly config: Pick<
    Config,
    'signIn' | 'publicUrl' | 'stripe' | 'service' | 'mode' | 'livemode' | 'exchangeRates'
  >;
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly operations: OperationDeps;
  /** The page of API keys of a service that runs in this process. */
  readonly keysPage?: ((frame: PageFrame) => RequestHandler) | undefined;
}

interface Answer extends ConsolePage {
  readonly status?: number;
}

type Page = (request: Request, reader: Reader, token: string) => Promise<Answer>;

/** Nothing while nobody may sign in, and nothing that tells that there could be a console. */
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
    render: renderOuterPage,
  });
  const pages = Router();
  pages.use(...createPageHeaders(CONSOLE_STYLE, { scripts: true }), signIn.router, signIn.require);
  addPages(pages, deps);
  pages.use(answerFailures(deps.logger));
  router.use('/console', pages);
  return router;
}

function addPages(pages: Router, deps: ConsoleDeps): void {
  const get = (path: string, page: Page) => pages.get(path, showPage(deps, page));
  pages.get(`/${LIVE_NAME}`, (_request, response) => void response.type('text/javascript').send(LIVE_SCRIPT));
  get('/', (request, reader) => overview(deps, request, reader));
  get('/deliveries', (_request, reader, token) => deliveries(deps, reader, token));
  get('/audit', (request, reader) => audit(deps, request, reader));
  get('/timing', (_request, reader) => timing(deps, reader));
  pages.get('/invoices', lookUp);
  get('/invoices', (request, reader) => invoices(deps, request, reader));
  pages.get('/invoices.csv', async (request, response) => {
    await orUnavailable(refreshFailures(deps.database));
    await sendInvoiceCsv(deps.database, readInvoiceQuery(request.query), response);
  });
  get('/invoices/:id', (request, reader, token) =>
    invoice(deps, String(request.params.id), { reader, token }),
  );
  addOperations(pages, deps.operations, (request, response, page) => sendPage(deps, request, response, page));
  // Not `use`, which would make it a root of its own.
  if (deps.keysPage) pages.all('/keys', deps.keysPage(frameOf(deps)));
  pages.use(showPage(deps, async () => NOTHING_HERE));
}

function showPage(deps: ConsoleDeps, page: Page): RequestHandler {
  return async (request, response) => {
    const { status = 200, ...shown } = await page(
      request,
      readerOf(request, deps.clock.now()),
      operatorOf(response).token,
    );
    response.status(status);
    await sendPage(deps, request, response, shown);
  };
}

/** The console around a page of another part, which has been let in already. */
function frameOf(deps: ConsoleDeps): PageFrame {
  return {
    require: (_request, _response, next) => next(),
    send: (request, response, page) => {
      allowOnPage(response, page);
      return sendPage(deps, request, response, { ...page, here: 'keys' });
    },
  };
}

async function sendPage(deps: ConsoleDeps, request: Request, response: Response, page: ConsolePage) {
  const alarms = describePauses(await orUnavailable(listPauses(deps.database)));
  const { name, token } = operatorOf(response);
  const around = {
    root: rootFrom(request),
    token,
    operator: name,
    hasKeys: deps.keysPage !== undefined,
    installation: [
      ...describeInstallation(deps.config),
      `times in ${readerOf(request, deps.clock.now()).zone}`,
    ],
    alarms,
  };
  response.type('html').send(renderConsolePage(page, around));
}

function describeInstallation({ mode, livemode, service }: ConsoleDeps['config']): string[] {
  return [
    `${mode} mode`,
    ...(livemode === undefined ? [] : [livemode ? 'live money' : 'test money']),
    `${service.kind} retry service`,
  ];
}

async function overview(deps: ConsoleDeps, request: Request, reader: Reader): Promise<Answer> {
  const { database, config } = deps;
  const days = PERIODS.find((period) => String(period) === request.query.days) ?? 30;
  const facts = await orUnavailable(readMoneyFacts(database, { days, rates: config.exchangeRates, reader }));
  const status = await orUnavailable(readWorkStatus(database, reader.now));
  return { title: 'Overview', here: 'overview', isLive: true, main: OverviewView({ facts, status, reader }) };
}

async function deliveries({ database }: ConsoleDeps, { now, root }: Reader, token: string): Promise<Answer> {
  const status = await orUnavailable(readWorkStatus(database, now));
  return {
    title: 'Deliveries',
    here: 'deliveries',
    isLive: true,
    main: HealthView({ status, now, root, token }),
  };
}

async function audit({ database }: ConsoleDeps, request: Request, reader: Reader): Promise<Answer> {
  const { before } = request.query;
  const beforeId = typeof before === 'string' && /^\d{1,15}$/.test(before) ? Number(before) : undefined;
  const found = await orUnavailable(listLatestAudit(database, ROWS + 1, beforeId));
  const entries = found.slice(0, ROWS);
  const next = found.length > ROWS ? entries.at(-1)?.id : undefined;
  return { title: 'Audit', here: 'audit', isLive: true, main: AuditView({ entries, next, reader }) };
}

async function timing({ config, database }: ConsoleDeps, { root }: Reader): Promise<Answer> {
  const { kind } = config.service;
  const reports = kind === 'remote' ? [] : await orUnavailable(timingReports.list(database));
  return { title: 'Timing', here: 'timing', main: TimingView({ service: kind, reports, root }) };
}

async function invoices({ database }: ConsoleDeps, request: Request, reader: Reader): Promise<Answer> {
  const query = readInvoiceQuery(request.query);
  const page = toPage(query, ROWS + 1);
  await orUnavailable(refreshFailures(database));
  const found = await orUnavailable(listFailures(database, toFilter(query), page));
  const failures = found.slice(0, ROWS);
  const last = failures.at(-1);
  const next = found.length > ROWS && last ? placeAfter(last, page) : undefined;
  const main = InvoiceListView({ query: { ...query, sort: page.sort }, failures, next, reader });
  return { title: 'Invoices', here: 'invoices', isLive: true, main };
}

/** The field of the menu leads to an invoice's own address, and all else to the list. */
const lookUp: RequestHandler = (request, response, next) => {
  const { id } = request.query;
  if (typeof id !== 'string') return next();
  const [wanted, root] = [id.trim(), rootFrom(request)];
  if (wanted === '') response.redirect(303, root);
  else if (wanted.startsWith('in_')) response.redirect(303, `${root}invoices/${encodeURIComponent(wanted)}`);
  else response.redirect(303, `${root}invoices?${new URLSearchParams({ q: wanted })}`);
};

/** No id of Stripe is longer or has spaces in it, and PostgreSQL takes no text with a zero in it. */
const ID = /^[\x21-\x7e]{1,255}$/;

async function invoice(
  deps: ConsoleDeps,
  id: string,
  { reader, token }: { reader: Reader; token: string },
): Promise<Answer> {
  const { database } = deps;
  const history = ID.test(id) ? await orUnavailable(findInvoiceHistory(database, id)) : undefined;
  if (!history) return unknownInvoice(id);
  await orUnavailable(refreshFailures(database));
  const [failure] = await orUnavailable(
    listFailures(database, { invoice: id }, { sort: 'failed', limit: 1 }),
  );
  const main = InvoiceView({
    id,
    history,
    failure,
    stripeUrl: stripeUrlOf(deps, id, history),
    token,
    reader,
  });
  return { title: id, here: 'invoices', isLive: true, main };
}

function unknownInvoice(id: string): Answer {
  const title = 'Unknown invoice';
  const sentences = [
    `Nothing is known about ${id}.`,
    'Check the id: it begins with in_ and stands in Stripe’s Dashboard on the page of the invoice. An invoice is known here from its first event, or from the first instruction for it, on.',
  ];
  return { status: 404, title, main: Notice({ title, sentences }) };
}

const NOTHING_HERE: Answer = {
  status: 404,
  title: 'Nothing here',
  main: Notice({
    title: 'Nothing here',
    sentences: ['The console has no page at this address. The menu has those it has.'],
  }),
};

/** In the own account alone: of another it is the merchant's Dashboard. A stand-in for Stripe has none. */
function stripeUrlOf({ config }: ConsoleDeps, id: string, { invoice }: InvoiceHistory): string | undefined {
  const { livemode, stripe } = config;
  const isKnown = invoice?.account === OWN_ACCOUNT && livemode !== undefined;
  if (!isKnown || stripe.apiBase.host !== 'api.stripe.com') return undefined;
  return `https://dashboard.stripe.com/${livemode ? '' : 'test/'}invoices/${encodeURIComponent(id)}`;
}

function orUnavailable<Value>(reading: Promise<Value>): Promise<Value> {
  return reading.catch((cause: unknown) => {
    throw new StoreUnavailableError(cause);
  });
}
