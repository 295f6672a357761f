import { z } from 'zod';
import { InvalidRequestError } from '../../../core/base/errors.ts';
import { findInvoiceKey, lockInvoice } from '../../store/tables/invoice-keys.ts';
import { findHold, holdInvoice } from '../../store/tables/retry/holds.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import { readBefore } from '../../store/tables/retry/restore-invoice.ts';
import { closeScheduledActions, listPlannedWork } from '../../store/tables/retry/stop-actions.ts';
import { findInvoice } from '../../store/tables/sync/invoices.ts';
import { describePlanned } from './describe-planned.ts';
import {
  type Asking,
  defineOperation,
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
    /** Stripe's own next attempt that is not stopped, as far as is known. */
    stripeTriesAt: z.string().optional(),
    alsoStripe: z.boolean(),
    undo: z.int(),
  }),
  result('unchanged', 'stopped_already', { invoice: z.string(), since: z.string(), reason: z.string() }),
  invoiceUnknown,
]);
type StopResult = z.output<typeof stopResult>;

const stopParameters = invoiceParameters.extend({
  alsoStripe: z
    // A form's checkbox has text.
    .preprocess((given) => (given === 'true' ? true : given), z.boolean())
    .default(false)
    .describe("End Stripe's own retries and emails for it, too."),
});

/** Closes an invoice's scheduled actions and prevents new ones. Stripe's retries can be added to an earlier stop. */
async function stopInvoice(
  { database, clock, enqueue, config }: OperationDeps,
  asking: Asking,
  { invoice, account, alsoStripe }: z.output<typeof stopParameters>,
): Promise<StopResult> {
  if (alsoStripe && config().mode === 'observe')
    throw new InvalidRequestError('alsoStripe: RETRY_MODE is observe, and nothing is changed at Stripe');
  const at = clock.now();
  const reason = reasonGiven(asking);
  return database.transaction(async (tx) => {
    const key = await findInvoiceKey(tx, invoice, account);
    if (!key) return { outcome: 'not_found', code: 'invoice_unknown', invoice };
    await lockInvoice(tx, key);
    const before = await readBefore(tx, key);
    const isHeld = await holdInvoice(tx, { ...key, reason, at });
    const hold = await findHold(tx, key);
    const since = (hold?.heldAt ?? at).toISO() ?? '';
    const stored = await findInvoice(tx, key.account, invoice);
    const switching = {
      ...key,
      kind: 'stripe_retries',
      cause: 'operator',
      reference: `stop ${since}`,
    } as const;
    const payer = { customerId: stored?.customerId ?? null, subscriptionId: stored?.subscriptionId ?? null };
    const isAdded =
      alsoStripe && (await planAction({ enqueue }, tx, { ...switching, ...payer, createdAt: at }));
    if (!isHeld && !isAdded) {
      return {
        outcome: 'unchanged',
        code: 'stopped_already',
        invoice,
        since,
        reason: hold?.reason ?? reason,
      };
    }
    const target = { account: key.account, invoiceIds: [invoice] };
    const closed = await closeScheduledActions(tx, target, { code: 'stopped_by_person', note: reason }, at);
    const detail = alsoStripe ? { before, alsoStripe } : { before };
    const line = { ...key, kind: 'operator.stopped' as const, detail };
    const undo = await recordOperation(tx, asking, at, line);
    const stripeTriesAt = alsoStripe ? undefined : findStripesNext(stored);
    return { outcome: 'changed', code: 'stopped', invoice, closed, stripeTriesAt, alsoStripe, undo };
  });
}

/** Stripe's own next attempt. */
function findStripesNext(stored: Awaited<ReturnType<typeof findInvoice>>): string | undefined {
  return stored?.status === 'open' ? stored.nextAttemptAt?.toISO() : undefined;
}

async function previewStop(
  { database }: OperationDeps,
  { invoice, account, alsoStripe }: z.output<typeof stopParameters>,
): Promise<Preview> {
  const key = await findInvoiceKey(database, invoice, account);
  if (!key) return {};
  const planned = await listPlannedWork(database, { account: key.account, invoiceIds: [invoice] });
  const stripeTriesAt = findStripesNext(await findInvoice(database, key.account, invoice));
  return {
    will: (say) => {
      const what = describePlanned(planned, say);
      const ours = `${what ? `Close ${what}; nobody` : 'Nobody'} is charged or emailed about it by us until it is released`;
      if (stripeTriesAt === undefined) return ours;
      const fate = alsoStripe ? 'will not' : 'still will, unless you stop its retries, too';
      return `${ours}. Stripe itself means to try at ${say.moment(stripeTriesAt)}, and ${fate}`;
    },
  };
}

export const stop = defineOperation({
  description: 'Stop collecting an invoice until you release it.',
  movesMoney: false,
  parameters: stopParameters,
  result: stopResult,
  run: stopInvoice,
  preview: previewOf(stopParameters, previewStop),
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
