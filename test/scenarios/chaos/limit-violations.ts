/** The networks' and Stripe's limits, written down a second time (stripe-facts 5.4 to 5.10), against Stripe's own charges. */
import type Stripe from 'stripe';
import type { Sandbox } from '../../../src/workbench/sandbox/sandbox.ts';

interface Try {
  readonly isOurs: boolean;
  readonly charge: string;
  readonly invoice: string;
  readonly method: string;
  readonly card: string;
  readonly brand: string;
  readonly declineCode: string | undefined;
  readonly advice: string | undefined;
  readonly isPaid: boolean;
  readonly at: number;
}

const HOUR = 3600;
const DAY = 24 * HOUR;
const HEARD_WITHIN = 3 * DAY;
const HARD = new Set([
  'lost_card',
  'stolen_card',
  'pickup_card',
  'transaction_not_allowed',
  'revocation_of_authorization',
]);
/** The first payment and eight retries. */
const MOST_ON_INVOICE = 9;
/** A service's own time is kept; two answers within the hour are one. */
const REST_HOURS = 1;
const WINDOWS: Readonly<Record<string, { seconds: number; most: number }>> = {
  visa: { seconds: 30 * DAY, most: 15 },
  mastercard: { seconds: DAY, most: 8 },
};
const OTHERS = { seconds: 30 * DAY, most: 8 };

/**
 * What each of the charges in `ours` should not have been, given every charge before it. Those that Stripe made on other
 * invoices are known once their events were heard of, which the disorder may put off for days; one on the same invoice is
 * read, unless Stripe makes it between that reading and our call, in the same second.
 */
export function limitViolations(sandbox: Sandbox, ours: ReadonlySet<string>): string[] {
  const tries = listTries(sandbox, ours);
  return tries.flatMap((one, index) => {
    if (!one.isOurs) return [];
    const isKnown = ({ isOurs, invoice, at }: Try) =>
      isOurs || (invoice === one.invoice && at < one.at) || at < one.at - HEARD_WITHIN;
    const before = tries.slice(0, index);
    // A payment since ends a refusal, heard of or not.
    const isEnded = (refusal: Try) =>
      before.some(({ card, isPaid, at }) => isPaid && card === refusal.card && at > refusal.at);
    return judge(one, before.filter(isKnown), isEnded);
  });
}

function listTries({ state }: Sandbox, ours: ReadonlySet<string>): Try[] {
  const invoices = new Map<string, string>();
  for (const { invoice, payment } of state.invoicePayments.newestFirst())
    invoices.set(String(payment.payment_intent), String(invoice));
  return [...state.charges.newestFirst()].reverse().map((charge) => ({
    ...toTry(charge, invoices.get(String(charge.payment_intent)) ?? ''),
    isOurs: ours.has(charge.id),
  }));
}

function toTry(charge: Stripe.Charge, invoice: string): Omit<Try, 'isOurs'> {
  const card = charge.payment_method_details?.card;
  return {
    charge: charge.id,
    invoice,
    method: String(charge.payment_method),
    card: card?.fingerprint ?? '',
    brand: card?.brand ?? '',
    declineCode: charge.outcome?.reason ?? undefined,
    advice: charge.outcome?.advice_code ?? undefined,
    isPaid: charge.status === 'succeeded',
    at: charge.created,
  };
}

function judge(one: Try, before: readonly Try[], isEnded: (refusal: Try) => boolean): string[] {
  const onCard = before.filter(({ card }) => card === one.card);
  const onInvoice = onCard.filter(({ invoice }) => invoice === one.invoice);
  // A card that the customer gave anew is another payment method, which may be tried at once.
  const sameMethod = onInvoice.filter(({ method }) => method === one.method);
  const { seconds, most } = WINDOWS[one.brand] ?? OTHERS;
  // Payments never count, nor what came before the latest (stripe-facts 5.5).
  const inWindow = onCard.filter((made) => made.at > one.at - seconds && !made.isPaid && !isEnded(made));
  const refused = before.find(
    (refusal) => refusal.method === one.method && forbids(refusal, one) && !isEnded(refusal),
  );
  const last = sameMethod.at(-1);
  const hours = (one.at - (last?.at ?? Number.NEGATIVE_INFINITY)) / HOUR;
  const problems = [
    ...(hours < REST_HOURS
      ? [`${hours.toFixed(1)} h after ${last?.isOurs ? 'our' : 'Stripe’s'} ${last?.charge}`]
      : []),
    ...(refused ? [`though ${refused.charge} had said ${refused.declineCode}, ${refused.advice}`] : []),
    ...(onInvoice.length >= MOST_ON_INVOICE ? [`as number ${onInvoice.length + 1} on the invoice`] : []),
    ...(inWindow.length >= most ? [`as number ${inWindow.length + 1} on the ${one.brand} card`] : []),
  ];
  return problems.map((problem) => `${one.invoice} was charged by us (${one.charge}) ${problem}`);
}

/** A hard code is about the card, the advice about its payment (stripe-facts 5.2, 5.4). */
function forbids(refusal: Try, one: Try): boolean {
  return (
    HARD.has(refusal.declineCode ?? '') ||
    (refusal.advice === 'do_not_try_again' && refusal.invoice === one.invoice)
  );
}
