/** What needs a person, by cause: for the console, the API and the command. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import type { Database } from '../../../core/database/database.ts';
import type { ExchangeRates } from '../../settings/schema/operator-settings.ts';
import { type Failure, listFailures } from '../../store/reports/money/list-failures.ts';
import { NEEDS, type Need, sumNeeds } from '../../store/reports/money/needs.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';
import { listQuarantined, type QuarantinedRecord } from '../../store/tables/sync/outbox.ts';
import { inRow, listCurrencyRows, toFactors } from '../figures/exchange.ts';
import { count } from '../figures/money-facts.ts';
import { money } from '../text/describe-code.ts';
import { describeNeedAction, NEED_ROWS, type NeedCode } from '../text/describe-need.ts';
import { paint } from '../text/text-table.ts';
import { failingInvoice, toFailingInvoice } from './failing-invoices.ts';
import { describeFailingInvoices } from './failing-invoices-table.ts';

export interface NeedGroup {
  readonly code: NeedCode;
  readonly count: number;
  readonly money: readonly { readonly currency: string; readonly amount: number }[];
  /** The latest failures, at most as many as asked for. */
  readonly invoices: readonly Failure[];
  readonly records: readonly QuarantinedRecord[];
}

const CODES = Object.keys(NEED_ROWS).filter((code): code is NeedCode => code in NEED_ROWS);
const isOfInvoices = (code: NeedCode): code is Need => NEEDS.some((need) => need === code);

const NO_RATES: ExchangeRates = { currency: undefined, rates: new Map() };

/** Groups the invoices of one account, or of all; sums are in the currency of the rates. Causes without invoices are left out. */
export async function listNeeds(
  database: Database,
  limit: number,
  { account, rates = NO_RATES }: { readonly account?: string; readonly rates?: ExchangeRates } = {},
): Promise<NeedGroup[]> {
  await refreshForReader(database);
  const sums = await sumNeeds(database, toFactors(rates), account);
  const refused = (await listQuarantined(database)).filter((one) => (account ?? one.account) === one.account);
  const groups = await Promise.all(
    CODES.map(async (code): Promise<NeedGroup> => {
      if (!isOfInvoices(code)) return groupRecords(code, refused, limit);
      const own = sums.filter(({ need }) => need === code);
      const { invoices: found } = count(own);
      const invoices =
        found === 0 ? [] : await listFailures(database, { need: code, account }, { sort: 'failed', limit });
      return {
        code,
        count: found,
        invoices,
        records: [],
        money: listCurrencyRows(rates, own).map((row) => ({
          currency: row.currency,
          amount: count(inRow(row, own)).amount,
        })),
      };
    }),
  );
  return groups.filter(({ count }) => count > 0);
}

/** A refused invoice's sum is its remaining amount; other records have none. */
function groupRecords(code: NeedCode, records: readonly QuarantinedRecord[], limit: number): NeedGroup {
  const sums = new Map<string, number>();
  for (const { kind, amount, currency } of records)
    if (kind === 'invoices' && amount !== null && currency !== null)
      sums.set(currency.toLowerCase(), (sums.get(currency.toLowerCase()) ?? 0) + amount);
  return {
    code,
    count: records.length,
    invoices: [],
    records: records.slice(0, limit),
    money: [...sums].map(([currency, amount]) => ({ currency, amount })),
  };
}

export const needsAttentionQuery = z.object({
  limit: z.coerce.number().int().min(0).max(100).default(10).describe('Invoices to list for each cause.'),
});

export const needsAttentionAnswer = z.object({
  causes: z.array(
    z.object({
      code: z
        .enum(CODES)
        .describe('Stays the same. The parameter `need` of the failed invoices takes it, but for refused.'),
      words: z.string(),
      advice: z.string(),
      action: z.string().describe('The next step: an operation, or a place in Stripe.'),
      count: z.int(),
      money: z
        .array(z.object({ currency: z.string(), amount: z.int() }))
        .describe('Outstanding amount, in each currency’s smallest unit.'),
      invoices: z.array(failingInvoice).describe('Whose payment failed last comes first.'),
      records: z.array(
        z.object({ account: z.string(), kind: z.string(), id: z.string(), answer: z.string().nullable() }),
      ),
    }),
  ),
});
export type NeedsAttentionAnswer = z.output<typeof needsAttentionAnswer>;

export async function readNeedsAttention(
  database: Database,
  now: DateTime,
  limit: number,
): Promise<NeedsAttentionAnswer> {
  const groups = await listNeeds(database, limit);
  return {
    causes: groups.map(({ code, count, money: sums, invoices, records }) => {
      const { words, advice, action } = NEED_ROWS[code];
      return {
        code,
        words,
        advice,
        count,
        money: [...sums],
        action: 'operation' in action ? action.operation : action.title,
        invoices: invoices.map((failure) => toFailingInvoice(failure, now)),
        records: records.map(({ account, kind, id, answer }) => ({ account, kind, id, answer })),
      };
    }),
  };
}

/** Text for a terminal. */
export function describeNeedsAttention({ causes }: NeedsAttentionAnswer, format: TableFormat): string {
  if (causes.length === 0) return 'No invoices need attention.';
  return causes.flatMap((cause) => describeCause(cause, format)).join('\n');
}

type TableFormat = Parameters<typeof describeFailingInvoices>[1];

function describeCause(cause: NeedsAttentionAnswer['causes'][number], format: TableFormat): string[] {
  const { code, words, advice, count, invoices, records } = cause;
  const sums = cause.money.map(({ amount, currency }) => money(amount, currency)).join(' + ');
  const rest = count - invoices.length - records.length;
  const all = isOfInvoices(code) ? `list --need ${code}` : 'status';
  return [
    `${paint(words, 'warn', format.hasColors ?? false)}: ${count}${sums === '' ? '' : `, ${sums}`}`,
    `  ${advice} (${describeNeedAction(NEED_ROWS[code].action)})`,
    ...describeFailingInvoices(invoices, format).map((line) => `  ${line}`),
    ...records.map(({ kind, id, answer }) => `  ${kind} ${id}: ${answer ?? 'no answer is recorded'}`),
    ...(rest > 0 ? [`  … and ${rest} more: ${all}`] : []),
  ];
}
