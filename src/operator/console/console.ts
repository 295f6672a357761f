/** `/console`: what the commands of the operator tell, as pages. Read-only: nothing here changes anything. */
import { type Request, type RequestHandler, Router } from 'express';
import type { Clock } from '../../clock.ts';
import { OWN_ACCOUNT } from '../../config/account.ts';
import type { Config } from '../../config/config.ts';
import { deriveSecret } from '../../config/service-settings.ts';
import { StoreUnavailableError } from '../../errors.ts';
import { createPageHeaders } from '../../http/page-protection.ts';
import type { Logger } from '../../logger.ts';
import type { Database } from '../../store/engine/database.ts';
import { findInvoiceHistory, type InvoiceHistory } from '../../store/reports/invoice-history.ts';
import { timingReports } from '../../store/reports/service-reports.ts';
import { readWorkStatus } from '../../store/reports/work-status.ts';
import { listPauses } from '../../store/tables/retry/pauses.ts';
import { describePauses } from '../text/describe-pauses.ts';
import { answerFailures } from './console-failures.ts';
import { type ConsolePage, Notice, renderAgain, renderConsolePage } from './console-layout.tsx';
import { rootFrom } from './console-place.ts';
import { deriveSessionKey, formTokenOf } from './console-session.ts';
import { CONSOLE_STYLE } from './console-style.ts';
import { InvoiceView } from './invoice-view.tsx';
import { OverviewView } from './overview-view.tsx';
import { askToSignIn, createSignIn, findSession, type SignInDeps } from './sign-in.ts';
import { TimingView } from './timing-view.tsx';

export interface ConsoleDeps {
  readonly config: Pick<Config, 'consolePassword' | 'stripe' | 'service' | 'mode' | 'livemode'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Answer extends ConsolePage {
  readonly status?: number;
}

type Page = (request: Request, root: string) => Promise<Answer>;

/** Nothing without a password, and nothing that tells that there could be a console. */
export function createConsole(deps: ConsoleDeps): Router {
  const router = Router();
  const { consolePassword: password, stripe } = deps.config;
  if (password === undefined) return router;
  const key = deriveSessionKey(password, deriveSecret(stripe.secretKey, 'console sessions'));
  const signIn: SignInDeps = { ...deps, password, key };
  const show = (page: Page) => showPage(deps, signIn, page);

  const pages = Router();
  pages.use(...createPageHeaders(CONSOLE_STYLE), createSignIn(signIn));
  pages.get(
    '/',
    show((_request, root) => overview(deps, root)),
  );
  pages.get(
    '/timing',
    show((_request, root) => timing(deps, root)),
  );
  pages.get('/invoices', lookUp);
  pages.get(
    '/invoices/:id',
    show((request, root) => invoice(deps, String(request.params.id), root)),
  );
  pages.use(
    show(async () => NOTHING_HERE),
    answerFailures(deps.logger),
  );
  router.use('/console', pages);
  return router;
}

/** No page is made for whoever is not signed in. */
function showPage(deps: ConsoleDeps, signIn: SignInDeps, page: Page): RequestHandler {
  return async (request, response) => {
    const session = findSession(signIn, request);
    if (!session) {
      const isFromElsewhere = request.method === 'GET' && request.get('sec-fetch-site') === 'cross-site';
      if (isFromElsewhere) response.type('html').send(renderAgain());
      else askToSignIn(request, response);
      return;
    }
    const root = rootFrom(request);
    const { status = 200, ...shown } = await page(request, root);
    const token = formTokenOf(session, signIn.key);
    const alarms = describePauses(await orUnavailable(listPauses(deps.database)));
    const around = { root, token, installation: describeInstallation(deps.config), alarms };
    response.status(status).type('html').send(renderConsolePage(shown, around));
  };
}

function describeInstallation({ mode, livemode, service }: ConsoleDeps['config']): string[] {
  return [
    `${mode} mode`,
    ...(livemode === undefined ? [] : [livemode ? 'live money' : 'test money']),
    `${service.kind} retry service`,
    'all times in UTC',
  ];
}

async function overview({ database, clock }: ConsoleDeps, root: string): Promise<Answer> {
  const now = clock.now();
  const status = await orUnavailable(readWorkStatus(database, now));
  return { title: 'Overview', here: 'overview', main: OverviewView({ status, now, root }) };
}

async function timing({ config, database }: ConsoleDeps, root: string): Promise<Answer> {
  const { kind } = config.service;
  const reports = kind === 'remote' ? [] : await orUnavailable(timingReports.list(database));
  return { title: 'Timing', here: 'timing', main: TimingView({ service: kind, reports, root }) };
}

/** The field of the menu leads to the invoice's own address. */
const lookUp: RequestHandler = (request, response) => {
  const { id } = request.query;
  const wanted = typeof id === 'string' ? id.trim() : '';
  response.redirect(
    303,
    wanted === '' ? rootFrom(request) : `${rootFrom(request)}invoices/${encodeURIComponent(wanted)}`,
  );
};

/** No id of Stripe is longer or has spaces in it, and PostgreSQL takes no text with a zero in it. */
const ID = /^[\x21-\x7e]{1,255}$/;

async function invoice(deps: ConsoleDeps, id: string, root: string): Promise<Answer> {
  const history = ID.test(id) ? await orUnavailable(findInvoiceHistory(deps.database, id)) : undefined;
  if (!history) return unknownInvoice(id);
  return { title: id, main: InvoiceView({ id, history, stripeUrl: stripeUrlOf(deps, id, history), root }) };
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
