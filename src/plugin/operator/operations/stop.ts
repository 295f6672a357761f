import { z } from 'zod';
import { InvalidRequestError } from '../../../core/base/errors.ts';
import { findHold, holdInvoice } from '../../store/tables/retry/holds.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import { closeScheduledActions, listPlannedWork } from '../../store/tables/retry/planned-actions.ts';
import { readBefore } from '../../store/tables/retry/restore-invoice.ts';
import { findInvoice } from '../../store/tables/sync/invoices.ts';
import { defineOperation, plural, reasonGiven, recordOperation, result } from './operation.ts';
import {
  changeInvoice,
  describePlanned,
  invoiceParameters,
  invoiceUnknown,
  previewOnInvoice,
  unknownWords,
  warnOfStripe,
} from './subjects.ts';

const parameters = invoiceParameters.extend({
  alsoStripe: z
    // A form's checkbox has text.
    .preprocess((given) => (given === 'true' ? true : given), z.boolean())
    .default(false)
    .describe("End Stripe's own retries and emails for it, too."),
});

/** Stripe's own next attempt. */
function findStripesNext(stored: Awaited<ReturnType<typeof findInvoice>>): string | undefined {
  return stored?.status === 'open' ? stored.nextAttemptAt?.toISO() : undefined;
}

export const stop = defineOperation({
  description: 'Stop collecting an invoice until you release it.',
  movesMoney: false,
  parameters,
  result: z.discriminatedUnion('code', [
    result('changed', 'stopped', {
      invoice: z.string(),
      closed: z.int(),
      /** Stripe's own next attempt that is not stopped, as far as is known. */
      stripeTriesAt: z.string().optional(),
      alsoStripe: z.boolean(),
      undo: z.int(),
    }),
    result('unchanged', 'stopped_already', { invoice: z.string(), since: z.string(), reason: z.string() }),
    invoiceUnknown,
  ]),
  /** Closes scheduled actions and prevents new ones. Stripe's retries can be added to an earlier stop. */
  run: async ({ database, clock, enqueue, config }, asking, { alsoStripe, ...of }) => {
    if (alsoStripe && config().mode === 'observe')
      throw new InvalidRequestError('alsoStripe: RETRY_MODE is observe, and nothing is changed at Stripe');
    const { invoice } = of;
    const [at, reason] = [clock.now(), reasonGiven(asking)];
    return changeInvoice(database, of, async (tx, key) => {
      const before = await readBefore(tx, key);
      const isHeld = await holdInvoice(tx, { ...key, reason, at });
      const hold = await findHold(tx, key);
      const since = (hold?.heldAt ?? at).toISO() ?? '';
      const stored = await findInvoice(tx, key.account, invoice);
      const switching = { kind: 'stripe_retries', cause: 'operator', reference: `stop ${since}` } as const;
      const payer = {
        customerId: stored?.customerId ?? null,
        subscriptionId: stored?.subscriptionId ?? null,
      };
      const isAdded =
        alsoStripe && (await planAction({ enqueue }, tx, { ...key, ...switching, ...payer, createdAt: at }));
      if (!isHeld && !isAdded) {
        const known = { invoice, since, reason: hold?.reason ?? reason };
        return { outcome: 'unchanged', code: 'stopped_already', ...known };
      }
      const target = { account: key.account, invoiceIds: [invoice] };
      const closed = await closeScheduledActions(tx, target, { code: 'stopped_by_person', note: reason }, at);
      const detail = alsoStripe ? { before, alsoStripe } : { before };
      const undo = await recordOperation(tx, asking, at, { ...key, kind: 'operator.stopped', detail });
      const stripeTriesAt = alsoStripe ? undefined : findStripesNext(stored);
      return { outcome: 'changed', code: 'stopped', invoice, closed, stripeTriesAt, alsoStripe, undo };
    });
  },
  preview: previewOnInvoice(parameters, async ({ database }, { account, invoiceId }, { alsoStripe }) => {
    const planned = await listPlannedWork(database, { account, invoiceIds: [invoiceId] });
    const stripeTriesAt = findStripesNext(await findInvoice(database, account, invoiceId));
    return {
      will: (say) => {
        const what = describePlanned(planned, say);
        const ours = `${what ? `Close ${what}; nobody` : 'Nobody'} is charged or emailed about it by us until it is released`;
        if (stripeTriesAt === undefined) return ours;
        const fate = alsoStripe ? 'will not' : 'still will, unless you stop its retries, too';
        return `${ours}. Stripe itself means to try at ${say.moment(stripeTriesAt)}, and ${fate}`;
      },
    };
  }),
  words: {
    ...unknownWords,
    stopped: ({ invoice, closed, stripeTriesAt, alsoStripe }, say) => [
      `${say.invoice(invoice)} is stopped (${plural(closed, 'planned action')} closed) until it is released`,
      ...warnOfStripe(
        stripeTriesAt,
        'stop it with --also-stripe, or void it in Stripe, to end that too',
        say,
      ),
      ...(alsoStripe ? ["Stripe's own retries and emails for it end within seconds, too"] : []),
    ],
    stopped_already: ({ invoice, since, reason }, say) =>
      `nothing changed: ${say.invoice(invoice)} is stopped since ${say.moment(since)} (${reason})`,
  },
  history: { 'operator.stopped': 'collection stopped' },
  command: {
    use: 'invoices stop <invoice>',
    values: { alsoStripe: '' },
    needs: 'database',
    examples: ['invoices stop in_… --also-stripe', 'invoices stop in_… --reason "the customer called"'],
  },
  form: {
    about: 'invoice',
    title: 'Stop collection',
    button: 'Stop collection',
    isDangerous: true,
    asks: [{ name: 'alsoStripe', label: "Stop Stripe's own retries and emails, too", as: 'check' }],
    isOffered: ({ isHeld }) => !isHeld,
  },
  app: { needs: 'operate' },
});
