/** `/console`: money, failed invoices and the state of the work, as pages. All changes go through operations. */
import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import type { Clock } from '../../../core/base/clock.ts';
import { blameText, codeOf, InvalidRequestError, isError } from '../../../core/base/errors.ts';
import type { Logger } from '../../../core/base/logger.ts';
import { capitalize } from '../../../core/base/sentence-case.ts';
import { createGuessTable } from '../../../core/database/guess-table.ts';
import { describePath } from '../../../core/web/logged-path.ts';
import { allowFrame, createPageHeaders } from '../../../core/web/page-protection.ts';
import { createSignIn } from '../../../core/web/sign-in/sign-in.ts';
import { cleanName } from '../../mails/clean-name.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { publicAddress } from '../../settings/own-paths.ts';
import { deriveSecret } from '../../settings/service-settings.ts';
import { countNeeds } from '../../store/reports/money/needs.ts';
import { readWorkStatus } from '../../store/reports/work-status.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import { listPauses } from '../../store/tables/retry/pauses.ts';
import { createSessionTable } from '../../store/tables/session-table.ts';
import { describePauses } from '../text/describe-pauses.ts';
import { describeSystem } from '../text/status/describe-status.ts';
import { Notice, renderConsolePage, renderOuterPage } from './console-layout.tsx';
import { PAGES } from './console-pages.ts';
import { CONSOLE_STYLE } from './console-style.ts';
import { sendEmailBody } from './emails/email-page.tsx';
import { sendInvoiceCsv } from './invoices/invoice-csv.ts';
import { lookUp } from './invoices/invoice-page.tsx';
import { LIVE_NAME, LIVE_SCRIPT } from './live-script.ts';
import { addOperations, keepForm } from './operation-routes.ts';
import { notFound, type Page, type PageDeps, type Visit } from './page-answer.ts';
import { readerOf } from './page-reader.ts';

export interface ConsoleDeps extends PageDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The merchant's name from the settings or from memory. */
  readonly merchantName?: (account: string) => Promise<string>;
}

/** Nothing while nobody may sign in, and no sign that there could be a console. */
export function createConsole(deps: ConsoleDeps): Router {
  const router = Router();
  const { signIn: settings, stripe, publicUrl } = deps.config;
  if (settings === undefined) return router;
  const signIn = createSignIn({
    settings,
    table: createSessionTable(deps.database),
    guesses: createGuessTable(deps.database, 'payment_retry'),
    clock: deps.clock,
    logger: deps.logger,
    key: deriveSecret(stripe.secretKey, 'console sessions'),
    rootUrl: publicAddress(publicUrl, 'console/'),
    placeOfForm: keepForm,
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
  const readerAt = (request: Request, response: Response) =>
    readerOf(request, response, { now: deps.clock.now(), zone: deps.config.timeZone });
  const show =
    (page: Page): RequestHandler =>
    (request, response) =>
      showPage(deps, page, { request, reader: readerAt(request, response) }, response);
  pages.get(`/${LIVE_NAME}`, (_request, response) => void response.type('text/javascript').send(LIVE_SCRIPT));
  addOperations(pages, deps.operations);
  pages.get('/invoices', lookUp);
  pages.get('/invoices.csv', (request, response) =>
    sendInvoiceCsv(deps, { request, reader: readerAt(request, response) }, response),
  );
  pages.get('/emails/:id/body', sendEmailBody(deps));
  for (const [path, page] of Object.entries(PAGES)) pages.get(path, show(page));
  const nothing = notFound(
    'Nothing here',
    'The console has no page at this address. Choose one from the menu.',
  );
  pages.use(show(async () => nothing));
}

async function showPage(
  deps: ConsoleDeps,
  page: Page,
  visit: Omit<Visit, 'status'>,
  response: Response,
): Promise<void> {
  const { config, database } = deps;
  const { reader } = visit;
  const work = await readWorkStatus(database, reader.now);
  const { status = 200, ...shown } = await page(deps, { ...visit, status: work });
  if (shown.hasFrame) allowFrame(response);
  const around = {
    merchant: cleanName(await deps.merchantName?.(OWN_ACCOUNT).catch(() => undefined)),
    isLive: config.livemode,
    installation: [`${capitalize(config.mode)} mode`, `${capitalize(config.service.kind)} retry service`],
    currency: config.exchangeRates.currency,
    system: describeSystem(work, reader.now),
    needs: await countNeeds(database),
    alarms: describePauses(await listPauses(database)),
  };
  response
    .status(reader.answer?.status ?? status)
    .type('html')
    .send(renderConsolePage(shown, around, reader));
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
  title: 'Something unexpected happened',
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

/** Our own codes and PostgreSQL's. */
const OF_THE_DATABASE = /^(STORE_\w+|[\dFHPX][\dA-Z]{4})$/;

/** Errors of body parsing and of addresses carry a 4xx status. */
function toFailure(raised: unknown): Failure {
  const error = blameText(raised);
  if (error instanceof InvalidRequestError) return UNREADABLE;
  if (OF_THE_DATABASE.test(codeOf(error) ?? '')) return UNAVAILABLE;
  const status = isError(error) && 'status' in error ? Number(error.status) : 500;
  return status >= 400 && status < 500 ? { ...UNREADABLE, status } : UNFORESEEN;
}
