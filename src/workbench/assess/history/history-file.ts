/**
 * The work file of an assessment: everything read from Stripe so far, one page a line, so that an interrupted run continues. A
 * line that a crash cut off is read again.
 */
import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { PluginError } from '../../../core/base/errors.ts';
import { tryJson } from '../../../core/base/try-json.ts';
import { chargeRecord, invoiceRecord, paymentRecord } from './history-record.ts';

const VERSION = 1;

const historyScope = z.object({
  version: z.literal(VERSION),
  account: z.string(),
  /** Unix seconds, both included. */
  from: z.int(),
  to: z.int(),
});
export type HistoryScope = z.infer<typeof historyScope>;

export const HISTORY_LISTS = ['invoices', 'payments', 'charges'] as const;
export type HistoryList = (typeof HISTORY_LISTS)[number];

const page = z.object({
  list: z.enum(HISTORY_LISTS),
  /** Index of the stretch of time within the range. */
  stretch: z.int(),
  /** The last object of the page; null once the stretch is read to its end. */
  after: z.string().nullable(),
  /** How far back the page reached, in Unix seconds. */
  reached: z.int(),
  invoices: z.array(invoiceRecord).default([]),
  payments: z.array(paymentRecord).default([]),
  charges: z.array(chargeRecord).default([]),
});
export type HistoryPage = z.infer<typeof page>;

export interface HistoryFile {
  readonly scope: HistoryScope;
  readonly pages: readonly HistoryPage[];
  append(next: HistoryPage): void;
  remove(): void;
}

/** Goes on with the file that is there, if it is of the same account; else begins one. Throws where it belongs to another. */
export function openHistoryFile(path: string, fresh: Omit<HistoryScope, 'version'>): HistoryFile {
  const found = existsSync(path) ? readHistory(path) : undefined;
  if (found !== undefined && found.scope.account !== fresh.account)
    throw new PluginError(
      'REQUEST_INVALID',
      `${path} holds what was read of ${found.scope.account}, not of ${fresh.account}.`,
      { help: 'Name another folder with --out, or remove the file.' },
    );
  const scope = found?.scope ?? { version: VERSION, ...fresh };
  if (found === undefined) writeFileSync(path, `${JSON.stringify(scope)}\n`, { mode: 0o600 });
  const pages = found?.pages ?? [];
  return {
    scope,
    pages,
    append: (next) => {
      appendFileSync(path, `${JSON.stringify(next)}\n`);
      pages.push(next);
    },
    remove: () => rmSync(path, { force: true }),
  };
}

/** Undefined if not even the first line is whole. What follows the last whole line is cut off. */
function readHistory(path: string): { scope: HistoryScope; pages: HistoryPage[] } | undefined {
  const bytes = readFileSync(path);
  const whole = bytes.lastIndexOf('\n') + 1;
  if (whole < bytes.length) truncateSync(path, whole);
  const [head, ...lines] = bytes.subarray(0, whole).toString('utf8').split('\n').slice(0, -1);
  const scope = historyScope.safeParse(tryJson(head ?? ''));
  if (!scope.success) return undefined;
  return { scope: scope.data, pages: lines.map((line) => page.parse(tryJson(line))) };
}
