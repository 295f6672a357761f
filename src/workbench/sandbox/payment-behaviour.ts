import type { DateTime } from 'luxon';
import { type Decline, type DeclineDetails, describeDecline } from './decline-details.ts';
import { drawDecline } from './issuer-declines.ts';

/** How a card or bank account looks and how it answers charges. Pure: the account counts the charges. */
export interface PaymentMethodBehaviour {
  readonly details: PaymentMethodDetails;
  readonly answer: (request: ChargeRequest) => ChargeAnswer;
  /** Payments with it are disputed immediately. */
  readonly disputed?: { readonly reason: string; readonly asInquiry?: boolean };
  /** A refund to it ends so after days; `failed` is the end of one that had seemed to succeed (stripe-facts 8.2). */
  readonly refundsEnd?: 'succeeded' | 'failed';
}

export interface ChargeRequest {
  /** 1 for the first charge this payment method ever sees. */
  chargeNumber: number;
  at: DateTime;
  /** Minor units. */
  amount: number;
}

export type ChargeAnswer =
  | { kind: 'accepted' }
  | { kind: 'declined'; decline: Decline }
  | { kind: 'requires_action' }
  /** Refused before a charge is made; the code is Stripe's error code. */
  | { kind: 'refused'; code: string }
  | { kind: 'pending'; days: number; hours?: number; settlesAs: 'succeeded' | Decline };

export type PaymentMethodDetails = CardDetails | BankAccountDetails | WalletAccountDetails;

export interface CardDetails {
  type: 'card';
  brand: string;
  funding: string;
  last4: string;
  /** The same card keeps it, even attached twice. Derived from the other details when not given. */
  fingerprint: string;
  expMonth: number;
  expYear: number;
  country: string;
  /** Paid with by a telephone, which has a card number of its own (stripe-facts 6.8). */
  wallet?: 'apple_pay' | 'google_pay';
}

/** An account that pays with a card or bank account that the merchant never sees. */
export interface WalletAccountDetails {
  type: 'link' | 'paypal';
  email: string;
  country: string;
}

export interface BankAccountDetails {
  type: 'us_bank_account' | 'sepa_debit' | 'bacs_debit' | 'acss_debit' | 'au_becs_debit';
  last4: string;
  fingerprint: string;
  country: string;
}

export type CardInput = Partial<Omit<CardDetails, 'type'>>;

/** A card that declines a charge with the given decline, and accepts the others. */
export function cardThat(
  card: CardInput,
  declineOf: (request: ChargeRequest) => Decline | undefined,
): PaymentMethodBehaviour {
  return {
    details: cardDetails(card),
    answer: (request) => {
      const decline = declineOf(request);
      return decline ? { kind: 'declined', decline } : { kind: 'accepted' };
    },
  };
}

/** Every charge succeeds. */
export function accepts(card: CardInput = {}): PaymentMethodBehaviour {
  return cardThat(card, () => undefined);
}

/** Every charge is declined with this code. */
export function declines(
  code: string,
  details: DeclineDetails = {},
  card: CardInput = {},
): PaymentMethodBehaviour {
  return cardThat(card, () => describeDecline(code, details));
}

/** No attempt gets as far as a charge, such as after the customer canceled a mandate in India (stripe-facts 3.7). */
export function refusesCharges(code: string, card: CardInput = {}): PaymentMethodBehaviour {
  return { details: cardDetails(card), answer: () => ({ kind: 'refused', code }) };
}

/** The first `count` charges succeed; afterwards the card answers like `then`, whose look it has. */
export function acceptsFirst(count: number, then: PaymentMethodBehaviour): PaymentMethodBehaviour {
  return {
    details: then.details,
    answer: (request) =>
      request.chargeNumber <= count
        ? { kind: 'accepted' }
        : then.answer({ ...request, chargeNumber: request.chargeNumber - count }),
  };
}

/** Declines before the instant and accepts from then on: a card that is short of money until pay day. */
export function declinesUntil(
  instant: DateTime,
  code: string,
  details: DeclineDetails = {},
  card: CardInput = {},
): PaymentMethodBehaviour {
  return cardThat(card, ({ at }) => (at < instant ? describeDecline(code, details) : undefined));
}

/** Accepts the first charge (the sign-up), declines the next `count`, then accepts again. */
export function declinesTimes(
  count: number,
  code: string,
  details: DeclineDetails = {},
  card: CardInput = {},
): PaymentMethodBehaviour {
  return cardThat(card, ({ chargeNumber }) =>
    chargeNumber > 1 && chargeNumber <= count + 1 ? describeDecline(code, details) : undefined,
  );
}

/** Declines one charge with each of these codes, in their order, and accepts from then on. */
export function declinesInTurn(
  codes: readonly string[],
  details: DeclineDetails = {},
  card: CardInput = {},
): PaymentMethodBehaviour {
  const declined = codes.map((code) => describeDecline(code, details));
  return cardThat(card, ({ chargeNumber }) => declined[chargeNumber - 1]);
}

/** Declines the first `count` charges as issuers do, each in another way; the same for the same seed (stripe-facts 8.3). */
export function declinesLikeIssuers(
  seed: number,
  count = Number.POSITIVE_INFINITY,
  card: CardInput = {},
): PaymentMethodBehaviour {
  return cardThat(card, ({ chargeNumber }) =>
    chargeNumber <= count ? drawDecline(seed + chargeNumber) : undefined,
  );
}

/**
 * The bank wants the customer present. `as` chooses which of Stripe's two forms the account shows: a declined
 * charge (`authentication_required`), or a payment intent left waiting (`invoice_payment_intent_requires_action`).
 */
export function requiresAuthentication(
  as: 'decline' | 'action' = 'decline',
  card: CardInput = {},
): PaymentMethodBehaviour {
  if (as === 'decline') return declines('authentication_required', {}, card);
  return { details: cardDetails(card), answer: () => ({ kind: 'requires_action' }) };
}

/** The same card in a telephone: another number, and so another fingerprint, than the card's (stripe-facts 6.8). */
export function inWallet(
  wallet: NonNullable<CardDetails['wallet']>,
  { details, answer }: PaymentMethodBehaviour,
): PaymentMethodBehaviour {
  if (details.type !== 'card') throw new Error(`A ${details.type} does not go into ${wallet}.`);
  return { details: { ...details, wallet, fingerprint: `${details.fingerprint}${wallet}` }, answer };
}

/** A Link or PayPal account that pays, or that declines with a code of such methods. */
export function walletAccount(
  type: WalletAccountDetails['type'],
  declined?: 'payment_method_provider_decline' | 'payment_method_customer_decline',
): PaymentMethodBehaviour {
  const details = { type, email: `${type}@example.com`, country: 'US' };
  if (declined === undefined) return { details, answer: () => ({ kind: 'accepted' }) };
  const decline = { ...failedDebit(declined), declineCode: null };
  return { details, answer: () => ({ kind: 'declined', decline }) };
}

/** A card of an Indian bank: every charge waits until its holder has known for a day (stripe-facts 5.13). */
export function indianCard(then: PaymentMethodBehaviour = accepts()): PaymentMethodBehaviour {
  const details = cardDetails({ last4: '0123', ...then.details, country: 'IN' });
  return {
    details,
    answer: (request) => {
      const answer = then.answer(request);
      if (answer.kind !== 'accepted' && answer.kind !== 'declined') return answer;
      const settlesAs = answer.kind === 'accepted' ? 'succeeded' : answer.decline;
      return { kind: 'pending', days: 1, hours: 2, settlesAs };
    },
  };
}

export interface PendingDebit {
  type?: BankAccountDetails['type'];
  /** Failure code of the debit, used with 'fail'. */
  code?: string;
  /** Days from the charge to the bank's answer. */
  days?: number;
  last4?: string;
  country?: string;
}

/** A bank debit: every charge stays pending and settles some days later. */
export function pendingThen(result: 'succeed' | 'fail', debit: PendingDebit = {}): PaymentMethodBehaviour {
  const { type = 'us_bank_account', code = 'insufficient_funds', days = 4 } = debit;
  const { last4 = '6789', country = 'US' } = debit;
  const settlesAs = result === 'succeed' ? 'succeeded' : failedDebit(code);
  return {
    details: { type, last4, country, fingerprint: `${type}${last4}` },
    answer: () => ({ kind: 'pending', days, settlesAs }),
  };
}

/** A bank account whose first `count` debits come back some days later, and whose later ones succeed. */
export function debitFailsTimes(count: number, debit: PendingDebit = {}): PaymentMethodBehaviour {
  const [failing, working] = [pendingThen('fail', debit), pendingThen('succeed', debit)];
  return {
    details: failing.details,
    answer: (request) => (request.chargeNumber <= count ? failing : working).answer(request),
  };
}

/** A returned debit has a code of its own and nothing from a card network. */
function failedDebit(code: string): Decline {
  return {
    errorCode: code,
    declineCode: null,
    adviceCode: null,
    networkDeclineCode: null,
    networkAdviceCode: null,
    outcomeType: 'issuer_declined',
    outcomeReason: code,
  };
}

function cardDetails(card: CardInput): CardDetails {
  const { brand = 'visa', funding = 'credit', last4 = '4242', country = 'US' } = card;
  const { expMonth = 12, expYear = 2034 } = card;
  const fingerprint = card.fingerprint ?? `fp${brand}${last4}${expMonth}${expYear}`;
  return { type: 'card', brand, funding, last4, fingerprint, expMonth, expYear, country };
}
