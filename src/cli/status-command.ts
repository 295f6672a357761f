import { styleText } from 'node:util';
import type { DateTime } from 'luxon';
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { type CommandResult, printResult, writeToTerminal } from '../operator/text/command-result.ts';
import { describeHistory, listHistoryLines } from '../operator/text/describe-history.ts';
import { describeStatus } from '../operator/text/describe-status.ts';
import { describeSummary, findLastWord } from '../operator/text/describe-summary.ts';
import type { Queryable } from '../store/engine/database.ts';
import { findInvoiceHistory } from '../store/reports/invoice-history.ts';
import { readWorkStatus } from '../store/reports/work-status.ts';
import { withDatabase } from './process/with-database.ts';

const statusOptions = z.object({ json: z.boolean().default(false) });
export type StatusOptions = z.input<typeof statusOptions>;

/** Exit code 1 if something needs attention, or nothing is known about the invoice. */
export async function runStatus([invoiceId]: readonly string[], options: unknown): Promise<number> {
  const { json } = statusOptions.parse(options);
  const result = await withDatabase((database) =>
    invoiceId === undefined
      ? reportStatus(database, { json }, systemClock.now(), inRed)
      : reportInvoice(database, invoiceId, { json }),
  );
  return printResult(result, writeToTerminal);
}

export async function reportStatus(
  db: Queryable,
  { json }: StatusOptions,
  now: DateTime,
  alarm?: (line: string) => string,
): Promise<CommandResult> {
  const status = await readWorkStatus(db, now);
  const text = json ? toJson(status) : describeStatus(status, now, alarm);
  return { code: status.needsPerson ? 1 : 0, text };
}

/** In red where the terminal has colours (NO_COLOR is heard). */
function inRed(line: string): string {
  return process.stdout.hasColors?.() ? styleText('red', line) : line;
}

export async function reportInvoice(
  db: Queryable,
  invoiceId: string,
  { json }: StatusOptions,
): Promise<CommandResult> {
  const known = await findInvoiceHistory(db, invoiceId);
  if (!known) {
    const message = `nothing is known about ${invoiceId}`;
    return { code: 1, text: json ? toJson({ id: invoiceId, message }) : message };
  }
  const { invoice = null } = known;
  const text = json
    ? toJson({
        id: invoiceId,
        invoice,
        history: listHistoryLines(known),
        standing: describeSummary(invoiceId, known),
        recoveryCase: findLastWord(known) ?? null,
      })
    : describeHistory(invoiceId, known);
  return { code: 0, text };
}

function toJson(value: object): string {
  return JSON.stringify(value, null, 2);
}
