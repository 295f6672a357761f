import { DateTime, type DurationLikeObject } from 'luxon';
import type Stripe from 'stripe';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import { equalAmountHours, isOfOther } from '../../../core/limits/usual-limits.ts';
import { customerIdOf, ownerIdsOf } from '../../clients/customer-reference.ts';
import { isOldSource } from '../../clients/method-identity.ts';
import { idOf } from '../../clients/stripe-client.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { Reason } from '../../reasons/reason.ts';
import { insertAction, reopenAction } from '../../store/tables/retry/actions.ts';
import { wasAskedFor } from '../../store/tables/retry/instructions.ts';
import { closeScheduledActions } from '../../store/tables/retry/stop-actions.ts';
import { auditInvoice } from '../actions/audit-lines.ts';
import type { Objection } from '../actions/objection.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { listBindingDeclines } from '../guards/card-history.ts';
import { FRAUD_REPORTED, findFraudReport } from '../guards/fraud-report.ts';
import { listCardTries } from '../invoice/card-tries.ts';
import { readHolds } from '../invoice/invoice-holds.ts';
import { findSignUpReason, methodFacts, readMethod, readPayableInvoice } from '../invoice/payable-invoice.ts';
import { finalizeRunningDrafts, type GivenMethod, isFinalizedDraft } from './finalize-drafts.ts';
import { newCardPayment } from './new-card-payment.ts';

/**
 * A customer has a new card: each unpaid invoice gets one payment with it, if the guards let it pass. The newest of each
 * subscription comes first, since it alone restores access. The action's reference names the card, so that however many events
 * report the change, the invoice is tried once (stripe-facts 6.2, 6.3).
 */
export function createCardChangeHandler(deps: RetryDeps): JobHandler<PluginQueues['pay-open-invoices']> {
  return {
    handle: async (change) => {
      const { account, changedAt } = change;
      const method = await findGiven(deps, change);
      if (!method) return;
      if (!(await finalizeRunningDrafts(deps, change, method))) return;
      const owed = newestFirst(await listOwed(deps, account, method));
      for (const [position, { invoice, waitHours }] of spaceOut(owed).entries()) {
        const chosen = await listChosen(deps, account, invoice);
        if (!chosen.includes(method.id)) continue;
        if (await wasTriedSince(deps, { account, invoice, method, changedAt })) continue;
        if (await isKnownDead(deps, { account, invoice, method })) continue;
        const wait = { hours: waitHours, seconds: position };
        if (!(await schedulePayment(deps, { account, method, invoice, wait, changedAt }))) continue;
        await noteOverride(deps, { account, invoice, method, first: chosen[0] });
      }
    },
  };
}

/** A source is not read, but with the invoice that it is to pay. */
async function findGiven(
  { stripe }: Pick<RetryDeps, 'stripe'>,
  { account, customerId, paymentMethod: id }: PluginQueues['pay-open-invoices'],
): Promise<GivenMethod | undefined> {
  if (isOldSource(id))
    return customerId === undefined ? undefined : { facts: readMethod(id), id, owners: [customerId] };
  const method = await stripe.findPaymentMethod(account, id);
  return method && { id, owners: ownerIdsOf(method), facts: methodFacts(method) };
}

/**
 * Of whoever owns the method: taken off its customer it pays nothing. An invoice that was never attempted is still
 * Stripe's to collect. An uncollectible one is a matter of the past, unless the service has asked about it: then the
 * customer may have given the card for it.
 */
async function listOwed(deps: RetryDeps, account: string, method: GivenMethod): Promise<Stripe.Invoice[]> {
  const owed: Stripe.Invoice[] = [];
  for (const invoice of await deps.stripe.listUnpaidInvoices(account, method.owners)) {
    if (invoice.amount_remaining <= 0 || !(invoice.attempted || isFinalizedDraft(invoice))) continue;
    if (invoice.status === 'open' || (await wasAskedFor(deps.database, account, invoice.id)))
      owed.push(invoice);
  }
  return owed;
}

/** The newest invoice of each subscription, then the second newest of each, and so on; of equals the oldest. */
function newestFirst(owed: readonly Stripe.Invoice[]): Stripe.Invoice[] {
  const ranks = new Map<string, number>();
  return [...owed]
    .sort((one, other) => other.created - one.created)
    .map((invoice) => {
      const of = subscriptionOf(invoice) ?? invoice.id;
      const rank = ranks.get(of) ?? 0;
      ranks.set(of, rank + 1);
      return { invoice, rank };
    })
    .sort((one, other) => one.rank - other.rank || one.invoice.created - other.invoice.created)
    .map(({ invoice }) => invoice);
}

/** Left to the guard, those of one amount would all be put off to one moment, and lose their order. */
function spaceOut(owed: readonly Stripe.Invoice[]): { invoice: Stripe.Invoice; waitHours: number }[] {
  const spaced: { invoice: Stripe.Invoice; waitHours: number }[] = [];
  for (const invoice of owed) {
    const waits = spaced
      .filter(({ invoice: before }) => isEqualAmount(before, invoice))
      .map(({ invoice: before, waitHours }) => {
        const isOther = isOfOther(subscriptionOf(before), subscriptionOf(invoice));
        return waitHours + equalAmountHours({ isPaid: true, isOfOther: isOther });
      });
    spaced.push({ invoice, waitHours: Math.max(0, ...waits) });
  }
  return spaced;
}

function isEqualAmount(one: Stripe.Invoice, other: Stripe.Invoice): boolean {
  return one.amount_remaining === other.amount_remaining && one.currency === other.currency;
}

function subscriptionOf(invoice: Stripe.Invoice): string | undefined {
  return idOf(invoice.parent?.subscription_details?.subscription);
}

/** Networks renew every card on file, and events come late: only a method chosen for the invoice is charged. */
async function listChosen(
  deps: RetryDeps,
  account: string,
  { id }: Stripe.Invoice,
): Promise<readonly string[]> {
  const found = await deps.stripe.findPayableInvoice(account, id);
  const invoice = found && readPayableInvoice(found);
  return invoice && findSignUpReason(invoice, deps.config) === undefined ? invoice.chosenMethods : [];
}

/** The invoice is paid with the new card; without UPDATE_SUBSCRIPTION_CARD the merchant changes what Stripe charges next month. */
async function noteOverride(
  deps: RetryDeps,
  change: {
    account: string;
    invoice: Stripe.Invoice;
    method: GivenMethod;
    first: string | undefined;
  },
): Promise<void> {
  const { account, invoice, method, first } = change;
  if (first === method.id || deps.config.updateSubscriptionCard) return;
  const reason = { code: 'card_overridden', paymentMethod: method.id, usedByStripe: first } satisfies Reason;
  await auditInvoice(
    deps,
    { account, invoiceId: invoice.id },
    { kind: 'card.overridden', detail: { reason } },
  );
}

/** Events come late: a card that has been tried on the invoice since it was set is no news for that invoice. */
async function wasTriedSince(
  deps: RetryDeps,
  change: { account: string; invoice: Stripe.Invoice; method: GivenMethod; changedAt: string },
): Promise<boolean> {
  const since = DateTime.fromISO(change.changedAt).toSeconds();
  const charges = await deps.stripe.listCharges(change.account, change.invoice.id);
  return charges.some((charge) => charge.payment_method === change.method.id && charge.created > since);
}

/** Choosing a card anew does not fix it (stripe-facts 5.4, 6.5): nothing is planned, a mail that asks for another stays. */
async function isKnownDead(
  deps: RetryDeps,
  change: { account: string; invoice: Stripe.Invoice; method: GivenMethod },
): Promise<boolean> {
  const { account, invoice, method } = change;
  const dead = await findDeadCard(deps, account, { invoice, method });
  if (dead === undefined) return false;
  await auditInvoice(
    deps,
    { account, invoiceId: invoice.id },
    { kind: 'guard.stopped', detail: { ...dead } },
  );
  return true;
}

/** False if that card's change caused a payment of the invoice before, or none is possible that would be another one. */
async function schedulePayment(
  deps: RetryDeps,
  change: {
    account: string;
    method: GivenMethod;
    invoice: Stripe.Invoice;
    wait: DurationLikeObject;
    changedAt: string;
  },
): Promise<boolean> {
  const { account, method, invoice, wait, changedAt } = change;
  const now = deps.clock.now();
  // Payments of one customer run one after the other; a second apart keeps their order.
  const dueAt = now.plus(wait);
  return deps.database.transaction(async (tx) => {
    const [customerId, subscriptionId] = [customerIdOf(invoice), subscriptionOf(invoice)];
    const target = { account, invoiceId: invoice.id, customerId, subscriptionId, dueAt, createdAt: now };
    const action = newCardPayment(target, method.facts);
    const isNew = await insertAction(tx, action);
    // The customer asks anew for what came to nothing: not what reports the same change once more.
    const id = isNew ? action.id : await reopenAction(tx, action, DateTime.fromISO(changedAt));
    if (id === undefined) return false;
    const mails = { account, invoiceIds: [invoice.id], kinds: ['card_update_email'] as const };
    await closeScheduledActions(tx, mails, { code: 'new_card' }, now);
    await deps.enqueue('execute-action', [{ data: { actionId: id, account }, startAfter: dueAt }], tx);
    return true;
  });
}

/** Why the guards would stop a payment of the invoice with this card for good; undefined if they would not. */
async function findDeadCard(
  deps: Pick<RetryDeps, 'database' | 'clock'>,
  account: string,
  { invoice, method }: { invoice: Stripe.Invoice; method: GivenMethod },
): Promise<Objection | undefined> {
  const { facts } = method;
  const { attempts, warning } = await listCardTries(deps, account, facts);
  const holds = await readHolds(deps.database, account, invoice.id);
  const report = findFraudReport(warning, holds);
  if (report) return { guard: FRAUD_REPORTED, reason: { ...report, paymentMethod: method.id } };
  const now = deps.clock.now();
  const action = { cause: 'card_change' as const, createdAt: now };
  const decline = listBindingDeclines({ now, action, invoice, method: facts, attempts, holds }).findLast(
    ({ class: known }) => known !== 'retryable' && known !== 'wait',
  );
  if (!decline) return undefined;
  const { because } = decline;
  return {
    guard: 'hard_decline',
    reason: { code: 'chosen_card_declined', paymentMethod: method.id, because },
  };
}
