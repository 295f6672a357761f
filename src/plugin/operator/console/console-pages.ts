/** Every page of the console that only reads, by its address. */

import { orUnavailable } from '../../../core/base/errors.ts';
import { sumAllListed } from '../../store/reports/money/failure-months.ts';
import { findWords } from '../../store/reports/money/failure-search.ts';
import { listFailures } from '../../store/reports/money/list-failures.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';
import { readObserved } from '../../store/reports/observed.ts';
import { readWorkStatus } from '../../store/reports/work-status.ts';
import { listLatestAudit } from '../../store/tables/audit.ts';
import { RANGES, readMoneyFacts } from '../figures/money-facts.ts';
import { answerExperiment } from '../lists/experiment-answer.ts';
import { listNeeds } from '../lists/needs-you.ts';
import { listUndoable } from '../operations/undo.ts';
import { foretell } from '../text/foretell.ts';
import { customerPage, customersPage } from './customers/customer-pages.ts';
import { ExperimentView } from './experiment-view.tsx';
import { sendInvoiceCsv } from './invoices/invoice-csv.ts';
import { InvoiceListView } from './invoices/invoice-list-view.tsx';
import { invoicePage, stripeUrlOf } from './invoices/invoice-page.ts';
import { findWorth, placeAt, readInvoiceQuery, toFilter, toPage } from './invoices/invoice-query.ts';
import { cutPage } from './list-place.ts';
import { mailOutcomesPage, mailPage, mailsPage } from './mails/mail-pages.ts';
import { OverviewView } from './overview/overview-view.tsx';
import { type Page, ROWS, type SendFile } from './page-answer.ts';
import { AuditView, auditAddress, toFilter as toAuditFilter } from './pages/audit-view.tsx';
import { ChecksView } from './pages/checks-view.tsx';
import { HealthView } from './pages/health-view.tsx';
import { NeedsView } from './pages/needs-view.tsx';
import { SettingsView } from './pages/settings-view.tsx';

const overview: Page = async ({ database, config }, { request, reader }) => {
  const { query } = request;
  const asked = {
    range: RANGES.find((range) => range === query.range) ?? 'month',
    isGross: query.money === 'gross',
    currency: typeof query.currency === 'string' ? query.currency.toLowerCase() : undefined,
    rates: config.exchangeRates,
    zone: config.timeZone,
  };
  const facts = await orUnavailable(readMoneyFacts(database, asked, reader));
  const status = await orUnavailable(readWorkStatus(database, reader.now));
  const observed = config.mode === 'observe' ? await orUnavailable(readObserved(database)) : undefined;
  const main = OverviewView({ facts, status, observed, reader });
  return { title: 'Overview', here: 'overview', isLive: true, main };
};

const deliveries: Page = async ({ database, operations }, { reader, token }) => {
  const status = await orUnavailable(readWorkStatus(database, reader.now));
  const other = status.pausedEffects.length > 0 ? 'resume' : 'pause';
  const foretold = await foretell(operations, other, {});
  const main = HealthView({ status, foretold, reader, token });
  return { title: 'Deliveries', here: 'deliveries', isLive: true, main };
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
  const main = AuditView({ query, entries, next, undoable, token, reader });
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
    sumAllListed(database, filter, { zone: config.timeZone, now: reader.now }),
  );
  const { rows: failures, next } = cutPage(found, (last) => placeAt(last, page));
  const main = InvoiceListView({ query, failures, sums, reader, next });
  return { title: 'Invoices', here: 'invoices', isLive: true, main };
};

const settings: Page = async ({ config }, { reader }) => {
  const main = SettingsView({ settings: config.shownSettings, reader });
  return { title: 'Settings', here: 'settings', main };
};

/** Invoices of each cause; the list of invoices has them all. */
const EACH = 10;

const needs: Page = async (deps, { reader, token }) => {
  const groups = await orUnavailable(listNeeds(deps.database, EACH));
  const main = NeedsView({
    groups,
    reader,
    token,
    stripeUrl: (kind, ids) => stripeUrlOf(deps, kind, ids),
  });
  return { title: 'Needs you', here: 'needs', isLive: true, main };
};

export const PAGES: Readonly<Record<string, Page>> = {
  '/': overview,
  '/needs': needs,
  '/invoices': invoices,
  '/invoices/:id': invoicePage,
  '/customers': customersPage,
  '/customers/:id': customerPage,
  '/mails': mailsPage,
  '/mails/:id': mailPage,
  '/mail-outcomes': mailOutcomesPage,
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
