/** Checks of Stripe's own list of charges, independent of the plugin's records. */

import { type InvoiceAccount, listChargesOf } from '../../customers/ledger.ts';
import type { Charge } from '../../sandbox/objects/wire.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Check } from './check.ts';

/** Declines that the networks allow for one card or account (stripe-facts 5.5 to 5.8). */
const CARD_DECLINES_IN_30_DAYS = 15;
const DEBITS_FOR_ONE_INVOICE = 3;
const DAYS_30 = 30 * 86_400;

export function checkCharges(sandbox: Sandbox, accounts: readonly InvoiceAccount[]): Check[] {
  const invoices = [...sandbox.state.invoices.newestFirst()];
  const charges = new Map(invoices.map(({ id }) => [id, listChargesOf(sandbox, id)]));
  return [
    checkChargedOnce(sandbox, charges),
    checkNothingAfterPaid(sandbox, charges),
    checkLimits(charges, accounts),
  ];
}

function checkChargedOnce({ state }: Sandbox, charges: ReadonlyMap<string, readonly Charge[]>): Check {
  const problems: string[] = [];
  let count = 0;
  for (const [id, ofInvoice] of charges) {
    const invoice = state.invoices.get(id);
    const succeeded = ofInvoice.filter(({ status }) => status === 'succeeded');
    count += succeeded.length;
    const isCharged = invoice?.status === 'paid' && !invoice.amount_paid_off_stripe;
    if (succeeded.length !== (isCharged ? 1 : 0))
      problems.push(`${id} is ${invoice?.status} with ${succeeded.length} succeeded charges`);
    for (const charge of succeeded)
      if (charge.amount !== invoice?.amount_due)
        problems.push(`${charge.id}: another amount than that of ${id}`);
  }
  return {
    name: `no invoice charged twice: ${count} succeeded charges, each of another invoice and of its amount`,
    problems,
  };
}

function checkNothingAfterPaid({ state }: Sandbox, charges: ReadonlyMap<string, readonly Charge[]>): Check {
  const problems: string[] = [];
  let count = 0;
  for (const [id, ofInvoice] of charges) {
    const transitions = state.invoices.get(id)?.status_transitions;
    const end = transitions?.paid_at ?? transitions?.voided_at ?? Number.POSITIVE_INFINITY;
    count += ofInvoice.length;
    for (const charge of ofInvoice)
      if (charge.created > end) problems.push(`${charge.id} was made after ${id} was settled`);
  }
  return { name: `no attempt on a settled invoice: ${count} charges looked at`, problems };
}

function checkLimits(
  charges: ReadonlyMap<string, readonly Charge[]>,
  accounts: readonly InvoiceAccount[],
): Check {
  const problems: string[] = [];
  const byCard = new Map<string, Charge[]>();
  for (const charge of [...charges.values()].flat()) {
    const { id } = cardOf(charge);
    byCard.set(id, [...(byCard.get(id) ?? []), charge]);
  }
  for (const [card, made] of byCard) {
    const most = Math.max(...made.map((charge) => countBefore(made, charge)));
    if (most > CARD_DECLINES_IN_30_DAYS) problems.push(`${card}: ${most} declines within 30 days`);
  }
  for (const { id } of accounts) {
    const debits = (charges.get(id) ?? []).filter((charge) => cardOf(charge).isDebit);
    if (debits.length > DEBITS_FOR_ONE_INVOICE) problems.push(`${id}: debited ${debits.length} times`);
  }
  return { name: `within the networks' limits: ${byCard.size} cards and bank accounts`, problems };
}

/** Declines within 30 days that no payment with the card followed (stripe-facts 5.10). */
function countBefore(charges: readonly Charge[], latest: Charge): number {
  const before = charges.filter(({ created }) => created <= latest.created);
  const paid = before.filter(({ status }) => status === 'succeeded');
  const start = Math.max(latest.created - DAYS_30, ...paid.map(({ created }) => created));
  return before.filter(({ created }) => created > start).length;
}

function cardOf({ payment_method_details: details, payment_method }: Charge): {
  id: string;
  isDebit: boolean;
} {
  return { id: details?.card?.fingerprint ?? payment_method ?? 'unknown', isDebit: details?.type !== 'card' };
}
