/** Drafts that an `unpaid` subscription has billed since Stripe gave up: nobody finalizes them (stripe-facts 2.1). */
import type Stripe from 'stripe';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import { subscriptionIdOf } from '../../clients/chosen-methods.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { Reason } from '../../reasons/reason.ts';
import { findPause } from '../../store/tables/retry/pauses.ts';
import { auditInvoice } from '../actions/audit-lines.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { createFacts } from '../guards/facts.ts';
import { findNewSubscription } from '../guards/shared-guards.ts';
import { findObservation } from '../invoice/observation.ts';
import { type PaymentMethodFacts, readPayableInvoice } from '../invoice/payable-invoice.ts';

type CardChange = PluginQueues['pay-open-invoices'];

/** The customer's new method. */
export interface GivenMethod {
  readonly id: string;
  /** Empty once it is detached. */
  readonly owners: string[];
  readonly facts: PaymentMethodFacts;
}

const LOOK_AGAIN_MINUTES = 5;

/**
 * Finalizes the running period's draft for a new card: only its payment ends `unpaid`. Drafts of past periods stay, because the customer may have
 * had no service: the merchant decides, and the history says so. False during a pause: the change is handled again later, before a
 * payment changes the subscription's status and hides its drafts.
 */
export async function finalizeRunningDrafts(
  deps: RetryDeps,
  change: CardChange,
  method: GivenMethod,
): Promise<boolean> {
  const { account } = change;
  const now = deps.clock.now();
  const drafts = await listDrafts(deps, account, method);
  if (drafts.length > 0 && (await findPause(deps.database, account))) {
    const startAfter = now.plus({ minutes: LOOK_AGAIN_MINUTES });
    await deps.enqueue('pay-open-invoices', [{ data: change, startAfter }]);
    return false;
  }
  const left = drafts.length > 0 ? await listLeft(deps, account, method) : new Map<string, Reason>();
  for (const draft of drafts) {
    const key = { account, invoiceId: draft.id };
    const over: Reason | undefined = endOf(draft) <= now.toMillis() ? { code: 'period_over' } : undefined;
    const reason = left.get(subscriptionIdOf(draft) ?? '') ?? over;
    if (reason) {
      await auditInvoice(deps, key, { kind: 'draft.left', detail: { reason } });
      continue;
    }
    await deps.stripe.finalizeInvoice(account, draft.id, `finalize:${draft.id}`);
    const because = { code: 'new_card' } satisfies Reason;
    await auditInvoice(deps, key, { kind: 'draft.finalized', detail: { reason: because } });
  }
  return true;
}

/** Subscriptions that the customer has replaced since they failed, with the reason to leave their drafts. */
async function listLeft(
  deps: RetryDeps,
  account: string,
  { owners }: GivenMethod,
): Promise<ReadonlyMap<string, Reason>> {
  const left = new Map<string, Reason>();
  for (const open of await deps.stripe.listUnpaidInvoices(account, owners)) {
    const found = await deps.stripe.findPayableInvoice(account, open.id);
    if (!found) continue;
    const invoice = readPayableInvoice(found);
    const reason = findNewSubscription(invoice, await createFacts(deps, account, invoice).holds());
    if (reason) left.set(subscriptionIdOf(found) ?? '', reason);
  }
  return left;
}

/** Drafts that the method would pay. */
async function listDrafts(deps: RetryDeps, account: string, method: GivenMethod): Promise<Stripe.Invoice[]> {
  const drafts: Stripe.Invoice[] = [];
  for (const draft of await deps.stripe.listUnpaidInvoices(account, method.owners, ['draft'])) {
    if (draft.billing_reason !== 'subscription_cycle' || draft.auto_advance === true) continue;
    const found = await deps.stripe.findPayableInvoice(account, draft.id);
    if (found?.status !== 'draft') continue;
    const invoice = readPayableInvoice(found);
    const { subscription, amountRemaining, chosenMethods } = invoice;
    if (subscription?.status !== 'unpaid' || subscription.isPaused || amountRemaining <= 0) continue;
    if (findObservation(deps.config, account, invoice) !== undefined) continue;
    if (chosenMethods.includes(method.id)) drafts.push(found);
  }
  return drafts;
}

/** End of the billed period. */
function endOf({ lines }: Stripe.Invoice): number {
  return Math.max(...lines.data.map(({ period }) => fromUnixSeconds(period.end).toMillis()));
}

/** Finalized by us: Stripe will not collect it. */
export function isFinalizedDraft({ attempted, auto_advance, billing_reason }: Stripe.Invoice): boolean {
  return !attempted && auto_advance !== true && billing_reason === 'subscription_cycle';
}
