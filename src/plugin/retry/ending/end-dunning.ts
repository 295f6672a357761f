import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { subscriptionIdOf } from '../../clients/chosen-methods.ts';
import { ownerIdsOf } from '../../clients/customer-reference.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { AfterGivingUp } from '../../settings/giving-up.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import { holdsClaim, type StoredAction } from '../../store/tables/retry/actions.ts';
import { listAttemptsOfInvoice, type StoredAttempt } from '../../store/tables/retry/attempts.ts';
import { cancelEnding, findEnding, finishEnding, startEnding } from '../../store/tables/retry/endings.ts';
import { planEndNotice } from '../../store/tables/retry/plan-action.ts';
import { hasPlannedPayment } from '../../store/tables/retry/planned-actions.ts';
import type { ActionExecutor, ActionResult } from '../actions/action-result.ts';
import { findObjection, type Guard, guard } from '../actions/objection.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { findCancelRequest } from '../guards/cancel-request.ts';
import { AMOUNT_REMAINING, DISPUTED } from '../guards/collection-guards.ts';
import { createFacts } from '../guards/facts.ts';
import { PROCESSING } from '../guards/shared-guards.ts';
import { findPersonsStop, type InvoiceHolds } from '../invoice/invoice-holds.ts';
import { findLeftOut, leaveToStripe } from '../invoice/observation.ts';
import { type PayableInvoice, readPayableInvoice } from '../invoice/payable-invoice.ts';

/** Longest duration of the call, with the library's retries. */
const CALL_SECONDS = 120;
const LOST_CLAIM_SECONDS = 15;

/**
 * Carries out AFTER_GIVING_UP once for an invoice that the service gave up: read it, check the guards, record the start, call Stripe,
 * record the end. After an interruption it reads Stripe's state.
 */
export const endDunning: ActionExecutor = async (deps, action) => {
  const { account, invoiceId } = action;
  const { mode, afterGivingUp: choice } = deps.config;
  if (mode !== 'exclusive' || choice === 'leave') {
    return { guard: 'settings', reason: { code: 'no_ending_chosen', mode, choice } };
  }
  const found = await deps.stripe.findPayableInvoice(account, invoiceId);
  if (!found) return { guard: 'invoice', reason: { code: 'invoice_unknown', invoiceId } };
  const invoice = readPayableInvoice(found);
  const setting = await findLeftOut(deps, account, invoice);
  if (setting !== undefined) {
    await cancelEnding(deps.database, action);
    await leaveToStripe(deps, action, setting);
    const reason = { code: 'outside_scope', setting } as const;
    const audit = { kind: 'observed.ending' as const, detail: { choice, setting } };
    return { guard: 'settings', reason, audit };
  }
  const ending = await findEnding(deps.database, action);
  if (!ending) return { guard: 'action_closed', reason: { code: 'no_longer_given_up' } };
  if (ending.startedAt !== null && isEnded(choice, invoice))
    return conclude(deps, action, { choice, invoice, isWhole: invoice.subscription?.status === PAUSED });
  const newer = await findNewerInvoice(deps, account, found);
  const facts = createFacts(deps, account, invoice);
  const objection = findObjection(GUARDS, {
    now: deps.clock.now(),
    choice,
    invoice,
    isStripeCollecting: found.auto_advance === true,
    holds: await facts.holds(),
    newerInvoice: newer,
    stopReason: action.closedAt === null ? undefined : (action.reason ?? { code: 'stopped' }),
    isPaymentUnderWay: await isPaymentUnderWay(deps, action, { newer, attempts: await facts.recorded() }),
  });
  if (objection && !objection.until) await cancelEnding(deps.database, action);
  if (objection) return objection;
  return end(deps, action, { choice, invoice });
};

/** The subscription's latest open invoice; paid or written-off ones show in the subscription's status. */
async function findNewerInvoice(
  { stripe }: RetryDeps,
  account: string,
  invoice: Stripe.Invoice,
): Promise<string | undefined> {
  const subscription = subscriptionIdOf(invoice);
  if (subscription === undefined) return undefined;
  const open = await stripe.listUnpaidInvoices(account, ownerIdsOf(invoice), ['open']);
  const latest = open.findLast((one) => subscriptionIdOf(one) === subscription);
  return latest === undefined || latest.created <= invoice.created ? undefined : latest.id;
}

async function isPaymentUnderWay(
  { database }: RetryDeps,
  { account, invoiceId }: StoredAction,
  { newer, attempts }: { newer: string | undefined; attempts: readonly StoredAttempt[] },
): Promise<boolean> {
  const later = newer === undefined ? [] : await listAttemptsOfInvoice(database, account, newer);
  if (attempts.some(({ outcome }) => outcome === null)) return true;
  if (later.some(({ outcome }) => outcome === null || outcome === 'pending')) return true;
  return hasPlannedPayment(database, account, invoiceId);
}

interface Chosen {
  readonly choice: Ending;
  readonly invoice: PayableInvoice;
}

async function end(deps: RetryDeps, action: StoredAction, chosen: Chosen): Promise<ActionResult> {
  const now = deps.clock.now();
  const isOurs = await deps.database.transaction(async (tx) => {
    if (!(await holdsClaim(tx, action, now.plus({ seconds: CALL_SECONDS })))) return false;
    await startEnding(tx, action, now);
    return true;
  });
  if (!isOurs) {
    const until = now.plus({ seconds: LOST_CLAIM_SECONDS });
    return { guard: 'claim', reason: { code: 'claim_lost' }, until };
  }
  const { choice, invoice } = chosen;
  const effect = await EFFECTS[choice](deps, action, invoice.subscription ?? NO_SUBSCRIPTION);
  return conclude(deps, action, { ...chosen, isWhole: effect === true });
}

type Subscription = Pick<NonNullable<PayableInvoice['subscription']>, 'id' | 'status' | 'canPause'>;

const NO_SUBSCRIPTION: Subscription = { id: '', status: '' };

/** `true`: Stripe paused the subscription as a whole. */
const EFFECTS: Readonly<
  Record<Ending, (deps: RetryDeps, action: StoredAction, subscription: Subscription) => Promise<unknown>>
> = {
  cancel: ({ stripe }, { account, invoiceId }, { id }) =>
    stripe.cancelSubscription(account, id, `Invoice ${invoiceId} could not be collected.`),
  pause: async ({ stripe }, { account, id: key }, { id, canPause = false }) => {
    const isWhole = canPause && (await stripe.pauseSubscription(account, id, `pause:${key}`));
    if (!isWhole) await stripe.pauseCollection(account, id, `ending:${key}`);
    return isWhole;
  },
  uncollectible: ({ stripe }, { account, invoiceId, id: key }) =>
    stripe.markUncollectible(account, invoiceId, `ending:${key}`),
};

function reasonOf(choice: Ending, { id: subscriptionId }: Subscription, isWhole: boolean): Reason {
  if (choice === 'uncollectible') return { code: 'written_off_after' };
  if (choice === 'cancel') return { code: 'subscription_canceled_after', subscriptionId };
  return { code: isWhole ? 'subscription_paused_after' : 'collection_paused_after', subscriptionId };
}

async function conclude(
  deps: RetryDeps,
  { account, invoiceId, customerId }: StoredAction,
  { choice, invoice: { subscription }, isWhole }: Chosen & { readonly isWhole: boolean },
): Promise<ActionResult> {
  const now = deps.clock.now();
  const reason = reasonOf(choice, subscription ?? NO_SUBSCRIPTION, isWhole);
  await deps.database.transaction(async (tx) => {
    if (!(await finishEnding(tx, { account, invoiceId }, now))) return;
    await recordAudit(tx, { account, at: now, invoiceId, kind: 'dunning.ended', detail: { choice, reason } });
    if (choice !== 'uncollectible' && subscription) {
      const lost = { account, invoiceId, customerId, subscriptionId: subscription.id };
      await planEndNotice(deps, tx, lost, now);
    }
  });
  return { state: 'done', reason: { code: 'ended_as_chosen', choice } };
}

/** Endings that change something at Stripe. */
type Ending = Exclude<AfterGivingUp, 'leave'>;

interface EndingFacts {
  readonly now: DateTime;
  readonly choice: Ending;
  readonly invoice: PayableInvoice;
  readonly isStripeCollecting: boolean;
  readonly holds: InvoiceHolds;
  /** Why the action was stopped; undefined if it was not. */
  readonly stopReason: Reason | undefined;
  /** A payment of the invoice is planned, or a payment of it or of the newer invoice has no known outcome. */
  readonly isPaymentUnderWay: boolean;
  /** The subscription's latest open invoice, if another. */
  readonly newerInvoice: string | undefined;
}

/** Statuses of a subscription whose latest invoice is unpaid (stripe-facts 2.1). */
const BEHIND: ReadonlySet<string> = new Set(['past_due', 'unpaid']);
/** Not billed until it is resumed (stripe-facts 2.8). */
const PAUSED = 'paused';
const PAYMENT_RECHECK_HOURS = 1;
const REQUEST_RECHECK_DAYS = 1;
/** The renewal's invoice would be the latest one. */
const BEFORE_RENEWAL_HOURS = 2;

const GUARDS: readonly Guard<EndingFacts>[] = [
  guard('stopped', ({ stopReason, holds }) => findPersonsStop(holds) ?? stopReason),
  guard('status', ({ invoice: { status } }) => status !== 'open' && { code: 'invoice_status', status }),
  AMOUNT_REMAINING,
  DISPUTED,
  guard('stripe_collects', ({ isStripeCollecting }) => isStripeCollecting && { code: 'stripe_collects' }),
  PROCESSING,
  guard(
    'payment_under_way',
    ({ isPaymentUnderWay, now }) =>
      isPaymentUnderWay && {
        reason: { code: 'payment_under_way' },
        until: now.plus({ hours: PAYMENT_RECHECK_HOURS }),
      },
  ),
  guard('subscription', ({ choice, invoice, holds, now }) => {
    const { subscription } = invoice;
    if (choice === 'uncollectible') return undefined;
    if (!subscription) return { code: 'no_subscription' };
    const { id, status, isPaused } = subscription;
    if (choice === 'pause' && status === PAUSED) return { code: 'paused_already', subscriptionId: id };
    // The status follows the latest invoice: a customer who paid that only has an old debt.
    if (!BEHIND.has(status)) return { code: 'subscription_status', subscriptionId: id, status };
    // The subscription ends anyway, and the request may be withdrawn until then.
    const request = findCancelRequest({ invoice, holds });
    if (request) return { reason: request, until: now.plus({ days: REQUEST_RECHECK_DAYS }) };
    return isPaused && { code: 'paused_already', subscriptionId: id };
  }),
  // Access depends on the latest invoice, which has its whole period: once paid, only an old debt remains.
  guard('latest_invoice', ({ choice, newerInvoice, invoice: { subscription }, now }) => {
    const until = subscription?.renewsAt?.minus({ hours: BEFORE_RENEWAL_HOURS });
    if (choice === 'uncollectible' || newerInvoice === undefined || !until || until <= now) return undefined;
    return { reason: { code: 'newer_invoice', invoiceId: newerInvoice }, until };
  }),
];

/** Whether Stripe shows the ending. */
function isEnded(choice: Ending, { status, subscription }: PayableInvoice): boolean {
  if (choice === 'uncollectible') return status === 'uncollectible';
  if (choice === 'cancel') return subscription?.status === 'canceled';
  return subscription?.isPaused === true || subscription?.status === PAUSED;
}
