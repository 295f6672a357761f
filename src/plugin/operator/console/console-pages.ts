/** Every page of the console that only reads, by its address. */

import { orUnavailable } from '../../../core/base/errors.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { countKnownSubscriptions } from '../../store/reports/counters.ts';
import { sumAllListed } from '../../store/reports/money/failure-months.ts';
import { findWords } from '../../store/reports/money/failure-search.ts';
import { listFailures, sumListed } from '../../store/reports/money/list-failures.ts';
import { readMonthCost } from '../../store/reports/money/month-cost.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';
import { readObserved } from '../../store/reports/observed.ts';
import { listLatestAudit } from '../../store/tables/audit.ts';
import { listPlanNames } from '../../store/tables/sync/payers.ts';
import { toFactors } from '../figures/exchange.ts';
import { type MoneyQuery, readMoneyFacts } from '../figures/money-facts.ts';
import { answerExperiment } from '../lists/experiment-answer.ts';
import { listNeeds } from '../lists/needs-attention.ts';
import { listUndoable } from '../operations/undo.ts';
import { previewOperation } from '../text/preview-operation.ts';
import { customerPage, customersPage } from './customers/customer-pages.ts';
import { emailOutcomesPage, emailPage, emailsPage } from './emails/email-pages.ts';
import { ExperimentView } from './experiment-view.tsx';
import { sendInvoiceCsv } from './invoices/invoice-csv.ts';
import { InvoiceListView } from './invoices/invoice-list-view.tsx';
import { invoicePage, stripeUrlOf } from './invoices/invoice-page.ts';
import { findWorth, placeAt, readInvoiceQuery, toFilter, toPage } from './invoices/invoice-query.ts';
import { cutPage } from './list-place.ts';
import { before } from './overview/overview-parts.tsx';
import { OverviewView } from './overview/overview-view.tsx';
import { type Page, type PageDeps, ROWS, type SendFile, type Visit } from './page-answer.ts';
import { AuditView, auditAddress, toFilter as toAuditFilter } from './pages/audit-view.tsx';
import { ChecksView } from './pages/checks-view.tsx';
import { HealthView } from './pages/health-view.tsx';
import { NeedsView } from './pages/needs-view.tsx';
import { SettingsView } from './pages/settings-view.tsx';
import { attemptsPage } from './reports/attempt-list.tsx';
import { ReportsView } from './reports/reports-view.tsx';

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
const NOW_ROWS = 3;

function moneyQuery({ config }: PageDeps, { request: { query } }: Visit): MoneyQuery {
  return {
    month: typeof query.month === 'string' ? query.month : undefined,
    currency: typeof query.currency === 'string' ? query.currency.toLowerCase() : undefined,
    rates: config.exchangeRates,
    zone: config.timeZone,
  };
}

const overview: Page = async (deps, visit) => {
  const { database, config } = deps;
  const { reader, status } = visit;
  const { compare, months } = visit.request.query;
  const facts = await orUnavailable(
    readMoneyFacts(database, moneyQuery(deps, visit), reader.now, ['all', 'recovered', 'failed', 'paid']),
  );
  const tomorrow = reader.now.setZone(config.timeZone).plus({ days: 1 }).startOf('day').toISO() ?? '';
  const due = { dueBefore: tomorrow, nextKind: 'pay' };
  const month = { sort: 'failed', limit: NOW_ROWS } as const;
  const shown = {
    facts,
    status,
    reader,
    cost: await orUnavailable(readMonthCost(database, facts.span)),
    needed: await orUnavailable(listFailures(database, { standing: 'needs_attention' }, month)),
    next: await orUnavailable(listFailures(database, { state: undefined }, { ...month, sort: 'next' })),
    due: (await orUnavailable(sumListed(database, due, toFactors(config.exchangeRates)))) ?? [],
    observed: config.mode === 'observe' ? await orUnavailable(readObserved(database)) : undefined,
    subscriptions: await orUnavailable(countKnownSubscriptions(database, OWN_ACCOUNT)),
    compared: compare === undefined ? before(facts.month, 1) : MONTH.exec(String(compare))?.[0],
    isWhole: months === 'all',
  };
  return { title: 'Overview', here: 'overview', isLive: true, main: OverviewView(shown) };
};

const reports: Page = async (deps, visit) => {
  const facts = await orUnavailable(
    readMoneyFacts(deps.database, moneyQuery(deps, visit), visit.reader.now, [
      'all',
      'reason',
      'brand',
      'country',
      'plan',
    ]),
  );
  const known = facts.sums.flatMap(({ dimension, value }) => (dimension === 'plan' && value ? [value] : []));
  const plans = await orUnavailable(listPlanNames(deps.database, [...new Set(known)]));
  return { title: 'Reports', here: 'reports', main: ReportsView({ facts, plans, reader: visit.reader }) };
};

const deliveries: Page = async ({ operations }, { reader, token, status }) => {
  const other = status.pausedEffects.length > 0 ? 'resume' : 'pause';
  const previewed = await previewOperation(operations, other, {});
  const main = HealthView({ status, previewed, reader, token });
  return { title: 'System status', here: 'deliveries', isLive: true, main };
};

const checks: Page = async (deps, { reader }) => {
  const findings = await deps.checks();
  return { title: 'Checks', here: 'checks', main: ChecksView({ findings, reader }) };
};

const audit: Page = async ({ database }, { request, reader, token }) => {
  const query = auditAddress.parse(request.query);
  const found = await orUnavailable(listLatestAudit(database, ROWS + 1, toAuditFilter(query)));
  const entries = found.slice(0, ROWS);
  const next = found.length > ROWS ? entries.at(-1)?.id : undefined;
  const undoable = await orUnavailable(listUndoable(database, entries));
  const known = await orUnavailable(
    listFailures(
      database,
      { invoices: entries.flatMap(({ invoiceId }) => invoiceId ?? []) },
      { sort: 'failed', limit: ROWS },
    ),
  );
  const failures = new Map(known.map((failure) => [failure.invoiceId, failure]));
  const main = AuditView({ query, entries, failures, next, undoable, token, reader });
  return { title: 'Audit', here: 'audit', isLive: true, main };
};

const experiment: Page = async ({ database }, { reader }) => {
  const answer = await orUnavailable(answerExperiment(database, reader.now));
  return { title: 'Experiment', here: 'timing', main: ExperimentView({ ...answer, reader }) };
};

const invoices: Page = async ({ database, config }, { request, reader }) => {
  const query = readInvoiceQuery(request.query);
  await orUnavailable(refreshForReader(database));
  const page = { ...toPage(query, ROWS + 1), worth: await findWorth(database, config, query) };
  const search = await orUnavailable(findWords(database, query.q));
  const filter = { ...toFilter(query, reader.zone), search };
  const found = await orUnavailable(listFailures(database, filter, page));
  const sums = await orUnavailable(
    sumAllListed(database, filter, {
      zone: config.timeZone,
      now: reader.now,
      factors: toFactors(config.exchangeRates),
    }),
  );
  const { rows: failures, next } = cutPage(found, (last) => placeAt(last, page));
  const main = InvoiceListView({ query, failures, sums, reader, next, rates: config.exchangeRates });
  return { title: 'Invoices', here: 'invoices', isLive: true, main };
};

const settings: Page = async ({ config }, { reader }) => {
  const main = SettingsView({ settings: config.shownSettings, reader });
  return { title: 'Settings', here: 'settings', main };
};

/** Invoices of each cause; the list of invoices has them all. */
const EACH = 10;

const needs: Page = async (deps, { reader, token }) => {
  const groups = await orUnavailable(listNeeds(deps.database, EACH, { rates: deps.config.exchangeRates }));
  const main = NeedsView({
    groups,
    reader,
    token,
    stripeUrl: (kind, ids) => stripeUrlOf(deps, kind, ids),
  });
  return { title: 'Needs attention', here: 'needs', isLive: true, main };
};

export const PAGES: Readonly<Record<string, Page>> = {
  '/': overview,
  '/needs': needs,
  '/invoices': invoices,
  '/invoices/:id': invoicePage,
  '/customers': customersPage,
  '/customers/:id': customerPage,
  '/emails': emailsPage,
  '/emails/:id': emailPage,
  '/email-outcomes': emailOutcomesPage,
  '/attempts': attemptsPage,
  '/reports': reports,
  '/deliveries': deliveries,
  '/checks': checks,
  '/audit': audit,
  '/timing': experiment,
  '/settings': settings,
};

/** The list for spreadsheets. */
export const FILES: Readonly<Record<string, SendFile>> = {
  '/invoices.csv': sendInvoiceCsv,
};
