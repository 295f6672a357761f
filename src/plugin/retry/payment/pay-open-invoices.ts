import { DateTime, type DurationLikeObject } from 'luxon';
import type Stripe from 'stripe';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import { equalAmountHours, isOfOther } from '../../../core/limits/usual-limits.ts';
import { subscriptionIdOf } from '../../clients/chosen-methods.ts';
import { customerIdOf, ownerIdsOf } from '../../clients/customer-reference.ts';
import { isOldSource } from '../../clients/method-identity.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import { insertAction, reopenAction } from '../../store/tables/retry/actions.ts';
import { wasAskedFor } from '../../store/tables/retry/instructions.ts';
import { closeScheduledActions } from '../../store/tables/retry/planned-actions.ts';
import { auditInvoice } from '../actions/audit-lines.ts';
import type { Objection } from '../actions/objection.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { findFraudReport, listBindingDeclines } from '../guards/card-history.ts';
import { listCardTries } from '../invoice/card-tries.ts';
import { readHolds } from '../invoice/invoice-holds.ts';
import { findSignUpReason, methodFacts, readMethod, readPayableInvoice } from '../invoice/payable-invoice.ts';
import { finalizeRunningDrafts, type GivenMethod, isFinalizedDraft } from './finalize-drafts.ts';
import { newCardPayment } from './new-card-payment.ts';

/**
 * Pays each unpaid invoice once with a customer's new card, if the guards allow. The newest of each subscription goes first, since it
 * alone restores access. The action's reference names the card, so any number of events causes one attempt (stripe-facts 6.2, 6.3).
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
        if (!(await listChosen(deps, account, invoice)).includes(method.id)) continue;
        const payment = { account, invoice, method, changedAt };
        if ((await wasTriedSince(deps, payment)) || (await isKnownDead(deps, payment))) continue;
        // A customer's payments run one by one; a second between them keeps their order.
        await schedulePayment(deps, payment, { hours: waitHours, seconds: position });
      }
    },
  };
}

interface CardPayment {
  readonly account: string;
  readonly invoice: Stripe.Invoice;
  readonly method: GivenMethod;
  /** Time of the card's change, ISO 8601. */
  readonly changedAt: string;
}

/** A source is read with its invoice only. */
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
 * Unpaid invoices of the method's owner; a detached one has none. Untried invoices are Stripe's to collect. Uncollectible ones count only
 * if the service has asked about them: the card may be for them.
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

/** The newest invoice of each subscription, then the second newest of each, and so on; oldest first within a rank. */
function newestFirst(owed: readonly Stripe.Invoice[]): Stripe.Invoice[] {
  const ranks = new Map<string, number>();
  return [...owed]
    .sort((one, other) => other.created - one.created)
    .map((invoice) => {
      const of = subscriptionIdOf(invoice) ?? invoice.id;
      const rank = ranks.get(of) ?? 0;
      ranks.set(of, rank + 1);
      return { invoice, rank };
    })
    .sort((one, other) => one.rank - other.rank || one.invoice.created - other.invoice.created)
    .map(({ invoice }) => invoice);
}

/** Spaces equal amounts here: the guard would postpone all to the same moment and lose their order. */
function spaceOut(owed: readonly Stripe.Invoice[]): { invoice: Stripe.Invoice; waitHours: number }[] {
  const spaced: { invoice: Stripe.Invoice; waitHours: number }[] = [];
  for (const invoice of owed) {
    const waits = spaced
      .filter(({ invoice: before }) => isEqualAmount(before, invoice))
      .map(({ invoice: before, waitHours }) => {
        const isOther = isOfOther(subscriptionIdOf(before), subscriptionIdOf(invoice));
        return waitHours + equalAmountHours({ isPaid: true, isOfOther: isOther });
      });
    spaced.push({ invoice, waitHours: Math.max(0, ...waits) });
  }
  return spaced;
}

function isEqualAmount(one: Stripe.Invoice, other: Stripe.Invoice): boolean {
  return one.amount_remaining === other.amount_remaining && one.currency === other.currency;
}

/** Networks renew all saved cards, and events come late: only a chosen method is charged. */
async function listChosen(
  deps: RetryDeps,
  account: string,
  { id }: Stripe.Invoice,
): Promise<readonly string[]> {
  const found = await deps.stripe.findPayableInvoice(account, id);
  const invoice = found && readPayableInvoice(found);
  return invoice && findSignUpReason(invoice, deps.config) === undefined ? invoice.chosenMethods : [];
}

/** Whether the card was tried on the invoice after its change: the event is late. */
async function wasTriedSince(
  { stripe }: RetryDeps,
  { account, invoice, method, changedAt }: CardPayment,
): Promise<boolean> {
  const since = DateTime.fromISO(changedAt).toSeconds();
  const charges = await stripe.listCharges(account, invoice.id);
  return charges.some((charge) => charge.payment_method === method.id && charge.created > since);
}

/** Whether choosing the card again cannot help (stripe-facts 5.4, 6.5): nothing is planned, an email for another card stays. */
async function isKnownDead(deps: RetryDeps, payment: CardPayment): Promise<boolean> {
  const dead = await findDeadCard(deps, payment);
  const key = { account: payment.account, invoiceId: payment.invoice.id };
  if (dead) await auditInvoice(deps, key, { kind: 'guard.stopped', detail: { ...dead } });
  return dead !== undefined;
}

/** Does nothing if the change caused a payment before, or no new one is possible. */
async function schedulePayment(
  deps: RetryDeps,
  { account, invoice, method, changedAt }: CardPayment,
  wait: DurationLikeObject,
): Promise<void> {
  const now = deps.clock.now();
  const dueAt = now.plus(wait);
  await deps.database.transaction(async (tx) => {
    const [customerId, subscriptionId] = [customerIdOf(invoice), subscriptionIdOf(invoice)];
    const target = { account, invoiceId: invoice.id, customerId, subscriptionId, dueAt, createdAt: now };
    const action = newCardPayment(target, method.facts);
    const isNew = await insertAction(tx, action);
    // Reopens a payment that failed earlier, unless the same change is reported again.
    const id = isNew ? action.id : await reopenAction(tx, action, DateTime.fromISO(changedAt));
    if (id === undefined) return;
    const emails = { account, invoiceIds: [invoice.id], kinds: ['card_update_email'] as const };
    await closeScheduledActions(tx, emails, { code: 'new_card' }, now);
    await deps.enqueue('execute-action', [{ data: { actionId: id, account }, startAfter: dueAt }], tx);
  });
}

/** Why guards would rule out a payment with this card for good; undefined if not. */
async function findDeadCard(
  deps: Pick<RetryDeps, 'database' | 'clock'>,
  { account, invoice, method }: CardPayment,
): Promise<Objection | undefined> {
  const { facts } = method;
  const { attempts, warning } = await listCardTries(deps, account, facts);
  const holds = await readHolds(deps.database, {
    account,
    invoiceId: invoice.id,
    customerId: customerIdOf(invoice),
  });
  const report = findFraudReport(warning, holds);
  if (report) return { guard: report.code, reason: { ...report, paymentMethod: method.id } };
  const now = deps.clock.now();
  const action = { cause: 'card_change' as const, createdAt: now };
  const decline = listBindingDeclines({ now, action, invoice, method: facts, attempts, holds }).findLast(
    ({ class: known }) => known !== 'retryable' && known !== 'wait',
  );
  if (!decline) return undefined;
  const reason = {
    code: 'chosen_card_declined',
    paymentMethod: method.id,
    because: decline.because,
  } as const;
  return { guard: 'hard_decline', reason };
}
