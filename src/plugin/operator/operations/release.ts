import type { DateTime } from 'luxon';
import { z } from 'zod';
import type { Transaction } from '../../../core/database/database.ts';
import { takeUpAgain } from '../../retry/ending/give-up.ts';
import { readHolds } from '../../retry/invoice/invoice-holds.ts';
import {
  findHold,
  hasNewsSince,
  isHeld,
  releaseInvoice as recordRelease,
} from '../../store/tables/retry/holds.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import {
  closeScheduledActions,
  findLastAction,
  letHappen,
  listPlannedWork,
} from '../../store/tables/retry/planned-actions.ts';
import { forgetPostponement } from '../../store/tables/retry/postponements.ts';
import { readBefore } from '../../store/tables/retry/restore-invoice.ts';
import type { InvoiceKey } from '../../store/tables/retry/takeovers.ts';
import { findInvoice, isCollectionOver } from '../../store/tables/sync/invoices.ts';
import { defineOperation, reasonGiven, recordOperation, result } from './operation.ts';
import {
  changeInvoice,
  invoiceParameters,
  invoiceUnknown,
  previewOnInvoice,
  unknownWords,
} from './subjects.ts';

/** The time of the release, if nothing happened afterwards that a second release would permit. */
async function findRelease(tx: Transaction, key: InvoiceKey): Promise<DateTime<true> | undefined> {
  const hold = await findHold(tx, key);
  if (!hold?.releasedAt || isHeld(hold)) return undefined;
  return (await hasNewsSince(tx, key, hold.releasedAt)) ? undefined : hold.releasedAt;
}

export const release = defineOperation({
  description: 'Resume collecting an invoice.',
  movesMoney: true,
  parameters: invoiceParameters,
  result: z.discriminatedUnion('code', [
    /** `payments`: that waited for a person's decision, and are made now. */
    result('changed', 'released', { invoice: z.string(), payments: z.int(), undo: z.int() }),
    result('unchanged', 'released_already', { invoice: z.string(), since: z.string() }),
    invoiceUnknown,
  ]),
  /**
   * Lets new instructions be followed again and approves a payment that waits for a person's decision. Closed actions stay
   * closed, and requests made while collection was stopped are closed now: they did not know of the release. Stripe's own retries
   * are switched on again if the stop had switched them off.
   */
  run: async ({ database, clock, enqueue }, asking, of) => {
    const at = clock.now();
    const { invoice } = of;
    return changeInvoice(database, of, async (tx, key) => {
      const since = await findRelease(tx, key);
      if (since) return { outcome: 'unchanged', code: 'released_already', invoice, since: since.toISO() };
      const before = await readBefore(tx, key);
      const { holdReason, isDisputed } = await readHolds(tx, key);
      if (holdReason !== undefined || isDisputed || (await isCollectionOver(tx, key.account, invoice))) {
        const target = { account: key.account, invoiceIds: [invoice], keepsUndecided: true } as const;
        await closeScheduledActions(tx, target, { code: 'planned_before_release' }, at);
      }
      await takeUpAgain(tx, key.account, [invoice], at);
      await forgetPostponement(tx, key);
      await recordRelease(tx, { ...key, reason: reasonGiven(asking), at });
      const waited = await letHappen(tx, key, { at });
      await enqueue(
        'execute-action',
        waited.map((actionId) => ({ data: { actionId, account: key.account } })),
        tx,
      );
      const switched = await findLastAction(tx, key, ['stripe_retries']);
      if (switched)
        await planAction({ enqueue }, tx, { ...switched, reference: `release ${at.toISO()}`, createdAt: at });
      const line = { ...key, kind: 'operator.released', detail: { before } } as const;
      const undo = await recordOperation(tx, asking, at, line);
      return { outcome: 'changed', code: 'released', invoice, payments: waited.length, undo };
    });
  },
  preview: previewOnInvoice(invoiceParameters, async ({ database }, { account, invoiceId }) => {
    const of = { account, invoiceIds: [invoiceId] };
    const [waiting] = await listPlannedWork(database, { ...of, isUndecided: true });
    const stored = waiting && (await findInvoice(database, account, invoiceId));
    return {
      will: ({ money }) =>
        waiting
          ? `Make the payment${stored ? ` of ${money(stored.amountRemaining, stored.currency)}` : ''} that waits for you, within minutes`
          : "Charge nothing now; the service's next instruction for it is followed, and what was closed stays closed",
    };
  }),
  words: {
    ...unknownWords,
    released: ({ invoice, payments }, say) =>
      `${say.invoice(invoice)} is released: ${payments > 0 ? 'the payment that waited is made within minutes' : "the service's next instruction for it is followed"}`,
    released_already: ({ invoice, since }, say) =>
      `nothing changed: ${say.invoice(invoice)} is released since ${say.moment(since)}`,
  },
  history: { 'operator.released': 'collection resumed' },
  command: {
    use: 'invoices release <invoice>',
    needs: 'database',
    examples: ['invoices release in_… --reason fixed'],
  },
  form: {
    about: 'invoice',
    title: 'Resume collection',
    button: 'Resume collection',
    isOffered: ({ isHeld }) => isHeld,
  },
  app: { needs: 'operate' },
});
