/** The customers: whose payment fails how, and what they do about it. */
import type { DateTime } from 'luxon';
import type { ApiFault } from '../sandbox/api/api-faults.ts';
import {
  accepts,
  type CardInput,
  debitFailsTimes,
  declines,
  declinesInTurn,
  declinesUntil,
  type PaymentMethodBehaviour,
  requiresAuthentication,
} from '../sandbox/payment-behaviour.ts';
import type { PlanName } from './plans.ts';
import type { TurnName } from './turns.ts';

export interface CastMember {
  readonly name: string;
  readonly country: string;
  readonly state?: string;
  readonly hasNoEmail?: true;
  readonly plan: PlanName;
  /** Day after the start and hour (UTC) of the renewal that fails. */
  readonly renews: readonly [day: number, hour: number];
  /** How the card or the bank account answers. */
  readonly method: Answers;
  /** Follows the link of an email after this long; without it, email stays unread. */
  readonly readsEmailAfterHours?: number;
  /** Offered on the page that the link leads to; a good Visa otherwise. */
  readonly newCard?: PaymentMethodBehaviour;
  readonly turns?: readonly { readonly name: TurnName; readonly day: number; readonly hour: number }[];
  /** What goes wrong with Stripe's answer to the first retry. */
  readonly fault?: ApiFault;
}

type Answers = (card: CardInput, start: DateTime) => PaymentMethodBehaviour;

const NO_FUNDS = 'insufficient_funds';
const fundsOnDay =
  (days: number): Answers =>
  (card, start) =>
    declinesUntil(start.plus({ days }), NO_FUNDS, {}, card);
const first =
  (...codes: string[]): Answers =>
  (card) =>
    declinesInTurn(codes, {}, card);
const always =
  (code: string): Answers =>
  (card) =>
    declines(code, {}, card);
const wantsConfirmation =
  (as: 'decline' | 'action'): Answers =>
  (card) =>
    requiresAuthentication(as, card);
/** Mastercard's advice 26: not again within two days. */
const waitsTwoDays: Answers = (card) =>
  declinesInTurn([NO_FUNDS, NO_FUNDS], { networkAdviceCode: '26' }, { ...card, brand: 'mastercard' });
const bankDebit: Answers = () => debitFailsTimes(1);

const GOOD_MASTERCARD = accepts({ brand: 'mastercard', last4: '5454' });
const EMPTY_MASTERCARD = declinesInTurn([NO_FUNDS], {}, { brand: 'mastercard', last4: '5100' });

/** Short of money, or turned away for no stated reason, and later not. */
// biome-ignore format: one customer to a line
const LATER_FINE: readonly CastMember[] = [
  { name: 'Anna Keller', country: 'DE', plan: 'office, EUR', renews: [0, 9], method: fundsOnDay(13) },
  { name: 'Ben Carter', country: 'US', state: 'CA', plan: 'tea monthly, USD', renews: [0, 10], method: fundsOnDay(4), fault: 'drop_after' },
  { name: 'Chidi Obi', country: 'GB', plan: 'tea monthly, GBP', renews: [0, 11], method: first(NO_FUNDS, NO_FUNDS) },
  { name: 'Diego Souza', country: 'BR', plan: 'tea monthly, BRL', renews: [0, 15], method: first('generic_decline'), fault: 'drop_after' },
  { name: 'Emi Tanaka', country: 'JP', plan: 'tea monthly, JPY', renews: [1, 1], method: first('do_not_honor', 'do_not_honor') },
  { name: 'Fanny Girard', country: 'FR', plan: 'tea yearly, EUR', renews: [1, 8], method: first('issuer_not_available'), fault: 'lock_timeout' },
  { name: 'Grace Hall', country: 'US', state: 'NY', plan: 'office, USD', renews: [1, 14], method: first('issuer_not_available', 'processing_error', NO_FUNDS) },
  { name: 'Hiro Sato', country: 'JP', plan: 'tea yearly, JPY', renews: [2, 2], method: first('card_velocity_exceeded') },
  { name: 'Ivy Walsh', country: 'AU', state: 'NSW', plan: 'tea monthly, AUD', renews: [2, 3], method: first(NO_FUNDS, NO_FUNDS, NO_FUNDS), fault: 'server_error_before' },
  { name: 'Jonas Weber', country: 'DE', plan: 'tea monthly, EUR', renews: [2, 6], method: waitsTwoDays },
  { name: 'Priya Shah', country: 'GB', plan: 'tea monthly, GBP', renews: [3, 12], method: first(NO_FUNDS), fault: 'rate_limit' },
];

/** Whose card will not do any more. */
// biome-ignore format: one customer to a line
const NEW_CARD: readonly CastMember[] = [
  { name: 'Kate Moore', country: 'US', state: 'TX', plan: 'tea monthly, USD', renews: [0, 8], method: always('lost_card'), readsEmailAfterHours: 3 },
  { name: 'Luca Bianchi', country: 'IT', plan: 'tea monthly, EUR', renews: [1, 7], method: always('stolen_card'), readsEmailAfterHours: 26, newCard: GOOD_MASTERCARD },
  { name: 'Mei Chen', country: 'SG', plan: 'tea monthly, USD', renews: [2, 4], method: always('expired_card'), readsEmailAfterHours: 75 },
  { name: 'Nora Jensen', country: 'DK', plan: 'office, EUR', renews: [3, 8], method: always('incorrect_cvc'), readsEmailAfterHours: 5, newCard: EMPTY_MASTERCARD },
  { name: 'Omar Haddad', country: 'AE', plan: 'tea monthly, USD', renews: [3, 10], method: always('generic_decline'), readsEmailAfterHours: 10 },
  { name: 'Dana Levi', country: 'US', state: 'IL', plan: 'tea monthly, USD', renews: [4, 15], method: always('expired_card'), turns: [{ name: 'card_renewed', day: 7, hour: 12 }] },
];

/** Whose bank wants to hear from them, and one who pays from a bank account. */
// biome-ignore format: one customer to a line
const CONFIRMED: readonly CastMember[] = [
  { name: 'Zoe Adams', country: 'CA', state: 'ON', plan: 'tea monthly, USD', renews: [4, 14], method: wantsConfirmation('decline'), readsEmailAfterHours: 4 },
  { name: 'Arjun Mehta', country: 'IN', plan: 'tea monthly, INR', renews: [4, 6], method: wantsConfirmation('action'), readsEmailAfterHours: 20 },
  { name: 'Bella Novak', country: 'US', state: 'WA', plan: 'office, USD', renews: [1, 17], method: bankDebit },
];

/** Who settle it another way, or end it. */
// biome-ignore format: one customer to a line
const OTHER_WAYS: readonly CastMember[] = [
  { name: 'Tom Fischer', country: 'DE', plan: 'office, EUR', renews: [0, 8], method: always(NO_FUNDS), turns: [{ name: 'pays_out_of_band', day: 6, hour: 15 }] },
  { name: 'Uma Patel', country: 'GB', plan: 'tea monthly, GBP', renews: [1, 10], method: fundsOnDay(5), turns: [{ name: 'pays_on_invoice_page', day: 5, hour: 6 }] },
  { name: 'Victor Lopez', country: 'ES', plan: 'tea monthly, EUR', renews: [2, 8], method: always(NO_FUNDS), turns: [{ name: 'cancels', day: 8, hour: 15 }] },
  { name: 'Wanda Nowak', country: 'PL', plan: 'tea monthly, EUR', renews: [3, 7], method: always('generic_decline'), turns: [{ name: 'invoice_voided', day: 5, hour: 11 }] },
  { name: 'Xavier Martin', country: 'FR', plan: 'tea monthly, EUR', renews: [3, 9], method: first(NO_FUNDS), turns: [{ name: 'disputes', day: 11, hour: 18 }] },
  { name: 'Yara Costa', country: 'PT', plan: 'tea monthly, EUR', renews: [4, 8], method: fundsOnDay(7), turns: [{ name: 'collection_paused', day: 5, hour: 2 }, { name: 'collection_resumed', day: 11, hour: 9 }] },
];

/** Who never answer. */
// biome-ignore format: one customer to a line
const SILENT: readonly CastMember[] = [
  { name: 'Paula Rossi', country: 'BR', plan: 'tea monthly, BRL', renews: [4, 16], method: always('lost_card') },
  { name: 'Quinn Baker', country: 'US', state: 'FL', plan: 'tea monthly, USD', renews: [5, 14], method: always(NO_FUNDS) },
  { name: 'Rosa Lima', country: 'PT', plan: 'tea monthly, EUR', renews: [5, 9], method: always('do_not_honor') },
  { name: 'Sven Olsen', country: 'NO', plan: 'tea monthly, EUR', renews: [5, 8], method: always('highest_risk_level') },
  { name: 'Carl Berg', country: 'SE', hasNoEmail: true, plan: 'tea monthly, EUR', renews: [5, 10], method: always('expired_card') },
];

export const CAST: readonly CastMember[] = [
  ...LATER_FINE,
  ...NEW_CARD,
  ...CONFIRMED,
  ...OTHER_WAYS,
  ...SILENT,
];
