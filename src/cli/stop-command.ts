import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { OWN_ACCOUNT } from '../config/account.ts';
import {
  type CommandResult,
  printResult,
  type Write,
  writeToTerminal,
} from '../operator/text/command-result.ts';
import { exactMoment } from '../operator/text/exact-moment.ts';
import { releaseHold, stopInvoice } from '../retry/guards/invoice-holds.ts';
import type { Database } from '../store/engine/database.ts';
import { findInvoiceHistory, type InvoiceHistory } from '../store/reports/invoice-history.ts';
import type { Saying } from '../store/tables/retry/holds.ts';
import { withDatabase } from './process/with-database.ts';

const sayingOptions = z.object({
  reason: z.string().default('no reason given'),
  account: z.string().default(OWN_ACCOUNT),
});

type Command = (database: Database, saying: Saying) => Promise<CommandResult>;

/** Exit code 1 if nothing is known about the invoice: a slip of the pen must not look like a stop. */
export const runStop = (args: readonly string[], options: unknown, write: Write = writeToTerminal) =>
  run(reportStop, args, options, write);

export const runRelease = (args: readonly string[], options: unknown, write: Write = writeToTerminal) =>
  run(reportRelease, args, options, write);

async function run(command: Command, [invoiceId = '']: readonly string[], options: unknown, write: Write) {
  const { reason, account } = sayingOptions.parse(options);
  const saying = { account, invoiceId, reason, at: systemClock.now() };
  return printResult(await withDatabase((database) => command(database, saying)), write);
}

export const reportStop: Command = async (database, saying) => {
  const { invoiceId } = saying;
  const known = await findInvoiceHistory(database, invoiceId);
  if (!known) return unknown(invoiceId);
  const closed = await stopInvoice(database, saying);
  const text = `${invoiceId} is stopped (${closed} planned action(s) closed); only \`release ${invoiceId}\` ends that`;
  return { code: 0, text: [text, ...warnOfStripe(known)].join('\n') };
};

/** Our stop is not Stripe's. */
function warnOfStripe({ invoice }: InvoiceHistory): string[] {
  if (invoice?.status !== 'open' || invoice.nextAttemptAt === null) return [];
  const when = exactMoment(invoice.nextAttemptAt);
  return [
    `Stripe itself still means to try at ${when}: void it or mark it uncollectible in Stripe to end that too`,
  ];
}

export const reportRelease: Command = async (database, saying) => {
  const { invoiceId } = saying;
  const known = await findInvoiceHistory(database, invoiceId);
  if (!known) return unknown(invoiceId);
  const isAsked = known.actions.some(({ state }) => state === 'undecided');
  await releaseHold(database, saying);
  const next = isAsked
    ? 'the payment that waited is made within minutes'
    : "the service's next instruction for it is followed";
  return { code: 0, text: `${invoiceId} is released: ${next}` };
};

function unknown(invoiceId: string): CommandResult {
  return { code: 1, text: `nothing is known about ${invoiceId}` };
}
