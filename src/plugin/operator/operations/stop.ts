import { z } from 'zod';
import { findInvoiceKey, lockInvoice } from '../../store/tables/invoice-keys.ts';
import { findHold, holdInvoice } from '../../store/tables/retry/holds.ts';
import { listPlannedWork } from '../../store/tables/retry/operator-actions.ts';
import { readBefore } from '../../store/tables/retry/restore-invoice.ts';
import { closeScheduledActions } from '../../store/tables/retry/stop-actions.ts';
import { findInvoice } from '../../store/tables/sync/invoices.ts';
import {
  type Asking,
  defineOperation,
  describePlanned,
  invoiceParameters,
  invoiceUnknown,
  type OperationDeps,
  type Preview,
  plural,
  previewOf,
  reasonGiven,
  recordOperation,
  result,
  unknownWords,
  warnOfStripe,
} from './operation.ts';

const stopResult = z.discriminatedUnion('code', [
  result('changed', 'stopped', {
    invoice: z.string(),
    /** Planned actions that were closed by it. */
    closed: z.int(),
    /** Stripe's own next attempt, as far as is known: our stop does not stop it. */
    stripeTriesAt: z.string().optional(),
    undo: z.int(),
  }),
  result('unchanged', 'stopped_already', { invoice: z.string(), since: z.string(), why: z.string() }),
  invoiceUnknown,
]);
type StopResult = z.output<typeof stopResult>;

/** Closes an invoice's scheduled actions and prevents new ones. */
async function stopInvoice(
  { database, clock }: Pick<OperationDeps, 'database' | 'clock'>,
  asking: Asking,
  { invoice, account }: z.output<typeof invoiceParameters>,
): Promise<StopResult> {
  const at = clock.now();
  const reason = reasonGiven(asking);
  return database.transaction(async (tx) => {
    const key = await findInvoiceKey(tx, invoice, account);
    if (!key) return { outcome: 'not_found', code: 'invoice_unknown', invoice };
    await lockInvoice(tx, key);
    const before = await readBefore(tx, key);
    if (!(await holdInvoice(tx, { ...key, reason, at }))) {
      const hold = await findHold(tx, key.account, invoice);
      const since = hold?.heldAt ?? at;
      return {
        outcome: 'unchanged',
        code: 'stopped_already',
        invoice,
        since: since.toISO(),
        why: hold?.reason ?? reason,
      };
    }
    const target = { account: key.account, invoiceIds: [invoice] };
    const closed = await closeScheduledActions(tx, target, { code: 'stopped_by_person', note: reason }, at);
    const line = { ...key, kind: 'operator.stopped' as const, detail: { before } };
    const undo = await recordOperation(tx, asking, at, line);
    const stored = await findInvoice(tx, key.account, invoice);
    const stripeTriesAt = stored?.status === 'open' ? stored.nextAttemptAt?.toISO() : undefined;
    return { outcome: 'changed', code: 'stopped', invoice, closed, stripeTriesAt, undo };
  });
}

async function previewStop(
  { database }: OperationDeps,
  { invoice, account }: z.output<typeof invoiceParameters>,
): Promise<Preview> {
  const key = await findInvoiceKey(database, invoice, account);
  if (!key) return {};
  const planned = await listPlannedWork(database, { account: key.account, invoiceIds: [invoice] });
  return {
    will: (say) => {
      const what = describePlanned(planned, say);
      return `${what ? `Close ${what}; nobody` : 'Nobody'} is charged or emailed about it until it is released`;
    },
  };
}

export const stop = defineOperation({
  description: 'Stop collecting an invoice until you release it.',
  movesMoney: false,
  parameters: invoiceParameters,
  result: stopResult,
  run: stopInvoice,
  preview: previewOf(invoiceParameters, previewStop),
  words: {
    ...unknownWords,
    stopped: ({ invoice, closed, stripeTriesAt }, say) => [
      `${say.invoice(invoice)} is stopped (${plural(closed, 'planned action')} closed) until it is released`,
      ...warnOfStripe(stripeTriesAt, 'void it or mark it uncollectible in Stripe to end that too', say),
    ],
    stopped_already: ({ invoice, since, why }, say) =>
      `nothing changed: ${say.invoice(invoice)} is stopped since ${say.moment(since)} (${why})`,
  },
  history: { 'operator.stopped': 'a person stopped it' },
  command: {
    use: 'invoices stop <invoice>',
    needs: 'database',
    examples: ['invoices stop in_… --reason "the customer called"'],
  },
  form: {
    about: 'invoice',
    title: 'Stop',
    button: 'Stop collecting it',
    isDangerous: true,
    isOffered: ({ isHeld }) => !isHeld,
  },
  app: { needs: 'operate' },
});
