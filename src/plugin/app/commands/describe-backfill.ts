import { Duration } from 'luxon';
import { describeReason } from '../../operator/text/describe-reason.ts';
import { exactMoment } from '../../operator/text/exact-moment.ts';
import { drawBar } from '../../operator/text/progress-line.ts';
import { alignColumns } from '../../operator/text/text-table.ts';
import type { BackfillReport, KindReport, NewsFate } from '../../store/reports/backfill-report.ts';
import type { BackfillList } from '../../store/tables/backfill/backfill-runs.ts';

const LIST_WORDS: Readonly<Record<BackfillList, string>> = {
  subscriptions: 'subscriptions',
  invoices: 'invoices',
  invoice_payments: 'payments of invoices',
  charges: 'charges',
  fraud_warnings: 'early fraud warnings',
  unseen_invoices: 'open invoices, one by one',
  uncharged_invoices: 'failed invoices without a charge, one by one',
  own_work: 'what is planned here',
  drifts: 'what differs, once more',
};

export interface Pace {
  /** Seconds since this command began to watch. */
  seconds: number;
  readAtStart: number;
  /** The time at which the current list was first seen. */
  listBegan: { seconds: number; readSeconds: number };
}

/** The progress of a run: the current list by the time covered, and its speed. */
export function describeProgress(report: BackfillReport, undelivered: number, pace: Pace): string {
  const read = totalRead(report);
  const rate = pace.seconds > 0 ? Math.round((read - pace.readAtStart) / pace.seconds) : 0;
  if (report.list === null)
    return `everything is read (${count(read)}); ${count(undelivered)} still to be delivered`;
  if (report.secondLookAt !== null)
    return `everything is compared (${count(read)}); what differs is looked at again from ${exactMoment(report.secondLookAt)} on, when changes on their way have come`;
  const share = shareOf(report);
  const done = report.readSeconds - pace.listBegan.readSeconds;
  const spent = pace.seconds - pace.listBegan.seconds;
  const left = done > 0 && spent > 0 ? ` · ${timeLeft((report.openSeconds * spent) / done)} left` : '';
  const setback = report.failures > 0 && report.reason ? ` · ${describeReason(report.reason)}` : '';
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  return `${drawBar(share)}${percent} of ${LIST_WORDS[report.list]} · ${count(read)} read · ${count(rate)}/s${left}${setback}`;
}

export function totalRead({ kinds }: BackfillReport): number {
  return kinds.reduce((sum, { read }) => sum + read, 0);
}

function shareOf({ readSeconds, openSeconds }: BackfillReport): number {
  const all = readSeconds + openSeconds;
  return all === 0 ? 0 : readSeconds / all;
}

function timeLeft(seconds: number): string {
  return Duration.fromMillis(Math.min(seconds, 359_999) * 1000).toFormat(seconds < 3600 ? 'm:ss' : 'h:mm:ss');
}

export type ClosingRow = ReturnType<typeof toClosingRow>;

/**
 * `silent`: nothing to send to the service, as drafts, first payments still open, changes that it does not hear of. `skipped`: charges
 * whose invoice was not read, and records deleted meanwhile.
 */
export function toClosingRow(report: KindReport, fate: NewsFate) {
  const { kind, read, equal: unchanged, silent, skipped } = report;
  const sum = fate.forwarded + fate.refused + fate.waiting + unchanged + silent + skipped;
  return { kind, read, ...fate, unchanged, silent, skipped, isBalanced: sum === read };
}

const COLUMNS = [
  ['read', 'read'],
  ['forwarded', 'forwarded'],
  ['unchanged', 'unchanged'],
  ['refused', 'refused'],
  ['nothing to send', 'silent'],
  ['of no invoice', 'skipped'],
  ['waiting', 'waiting'],
] as const satisfies readonly (readonly [string, keyof ClosingRow])[];

/** A line per kind; the columns after the first add up to it. */
export function closingTable(rows: readonly ClosingRow[]): string {
  const head = ['', ...COLUMNS.map(([title]) => title)];
  const body = rows.map((row) => [row.kind, ...COLUMNS.map(([, field]) => count(row[field]))]);
  const cells = [head, ...body].map((row) => row.map((text, index) => ({ text, isNumber: index > 0 })));
  return alignColumns(cells, false).join('\n');
}

export function count(number: number): string {
  return number.toLocaleString('en-US');
}
