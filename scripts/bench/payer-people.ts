/**
 * The people of the world of payers. What they do is drawn from who they are and what day it is, never from a shared stream: their world
 * is the same whatever the product decides, so that two versions can be compared.
 */
import type { DateTime } from 'luxon';
import { describeDecline } from '../../src/workbench/sandbox/decline-details.ts';
import type { CardInput, PaymentMethodBehaviour } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { accepts } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { fixedChance } from '../../src/workbench/sandbox/random.ts';
import type { Sandbox } from '../../src/workbench/sandbox/sandbox.ts';

/** What a draw is about; the numbers only keep the draws apart. */
const DRAWS = {
  wallet: 1,
  income: 2,
  spending: 3,
  cardEnd: 4,
  cardCode: 5,
  reads: 6,
  delay: 7,
  silent: 8,
} as const;
const MORE_DRAWS = {
  refused: 9,
  plan: 10,
  size: 11,
  day: 12,
  hour: 13,
  country: 14,
  brand: 15,
  payDay: 16,
  itself: 17,
};

const WEEKLY = { interval: 'week', count: 1, amount: 700 } as const;
const PLANS = [
  [WEEKLY, 12],
  [{ interval: 'month', count: 1, amount: 1500 }, 25],
  [{ interval: 'month', count: 1, amount: 2900 }, 25],
  [{ interval: 'month', count: 1, amount: 4900 }, 13],
  [{ interval: 'month', count: 3, amount: 5900 }, 12],
  [{ interval: 'year', count: 1, amount: 19_900 }, 13],
] as const;
type Plan = (typeof PLANS)[number][0];

interface Kind {
  /** With their weights. */
  readonly plans: readonly (readonly [Plan, number])[];
  readonly most: number;
  /** Payers whose wallet never runs dry. */
  readonly rich: number;
}

/** `tight`: every payer fails again and again, each week and each month, as in the world that these rules were first asked for. */
export const WORLDS = {
  usual: { plans: PLANS, most: 5, rich: 0.3 },
  tight: {
    plans: [
      [WEEKLY, 50],
      [PLANS[1][0], 25],
      [PLANS[2][0], 25],
    ],
    most: 4,
    rich: 0,
  },
} as const satisfies Readonly<Record<string, Kind>>;
const COUNTRIES = ['US', 'US', 'DE', 'GB', 'BR', 'FR'];
const BRANDS = ['visa', 'visa', 'visa', 'mastercard', 'mastercard', 'amex'];
const CARD_ENDS = ['expired_card', 'expired_card', 'lost_card', 'stolen_card', 'do_not_honor'];

export interface Payer {
  readonly id: number;
  readonly customerId: string;
  readonly email: string;
  readonly subscriptions: readonly string[];
  readonly wallet: Wallet;
  /** Whether the card that is on file can be used at all. */
  isCardDead(at: DateTime): boolean;
  /** A new card on file: on the same wallet, and good for longer than the world. */
  giveCard(at: DateTime): void;
  /** How long after an email of this day another card is given; undefined when it is not read. */
  answersEmail(day: DateTime): number | undefined;
  /** When a new card is given that no email asked for. */
  readonly givesCardAt: DateTime | undefined;
}

/** All cards of a payer draw on it. */
export interface Wallet {
  availableAt(at: DateTime): number;
  take(at: DateTime, amount: number): boolean;
}

interface Frame {
  readonly world: Kind;
  readonly seed: number;
  readonly start: DateTime;
  readonly days: number;
}

export function createPayers(
  sandbox: Sandbox,
  { first, count }: { first: number; count: number },
  frame: Frame,
): Payer[] {
  const prices = new Map(PLANS.map(([plan]) => [plan, createPrice(sandbox, plan)]));
  return Array.from({ length: count }, (_, place) =>
    createPayer({ sandbox, prices, frame, id: first + place }),
  );
}

function createPrice(sandbox: Sandbox, { interval, count, amount }: Plan): string {
  const recurring = { interval, interval_count: count };
  return sandbox.createPrice({ unit_amount: amount, recurring }).id;
}

interface Making {
  readonly sandbox: Sandbox;
  readonly prices: ReadonlyMap<Plan, string>;
  readonly frame: Frame;
  readonly id: number;
}

function createPayer(making: Making): Payer {
  const { sandbox, frame, id } = making;
  const chance = (...parts: number[]) => fixedChance(frame.seed, id, ...parts);
  const plans = drawPlans(chance, frame.world);
  const monthly = plans.reduce((sum, plan) => sum + monthlyAmount(plan), 0);
  const wallet = createWallet(chance, frame, monthly);
  const endsAt = chance(DRAWS.cardEnd) < 0.4 ? dayOf(frame, chance(DRAWS.cardEnd, 1)) : undefined;
  const firstCard = createCard(chance, 0, { wallet, endsAt });
  const email = `payer${id}@example.com`;
  const country = COUNTRIES[Math.floor(chance(MORE_DRAWS.country) * COUNTRIES.length)] ?? 'US';
  const { id: customerId } = sandbox.createCustomer({ email, country, paymentMethod: firstCard });
  let cards = 0;
  return {
    id,
    customerId,
    email,
    wallet,
    subscriptions: plans.map((plan, place) => subscribe(making, customerId, plan, place)),
    isCardDead: (at) => cards === 0 && endsAt !== undefined && at >= endsAt,
    giveCard: () => {
      cards += 1;
      sandbox.changeDefaultCard(customerId, createCard(chance, cards, { wallet, endsAt: undefined }));
    },
    answersEmail: (day) => {
      const date = daysSince(frame, day);
      if (chance(DRAWS.silent) < 0.3 || chance(DRAWS.reads, date) > 0.45) return undefined;
      return 0.5 + 40 * chance(DRAWS.delay, date) ** 2;
    },
    givesCardAt: endsAt && chance(MORE_DRAWS.itself) < 0.2 ? endsAt.plus({ days: 12, hours: 9 }) : undefined,
  };
}

type Chance = (...parts: number[]) => number;

function drawPlans(chance: Chance, { plans, most }: Kind): Plan[] {
  const count = 1 + Math.floor(chance(MORE_DRAWS.size) * most);
  return Array.from({ length: count }, (_, place) => pick(plans, chance(MORE_DRAWS.plan, place)));
}

function pick(plans: Kind['plans'], drawn: number): Plan {
  let left = drawn * plans.reduce((sum, [, weight]) => sum + weight, 0);
  const found = plans.find(([, weight]) => {
    left -= weight;
    return left < 0;
  });
  return (found ?? PLANS[1])[0];
}

const MONTHS = { week: 12 / 52, month: 1, year: 12 } as const;
const monthlyAmount = ({ interval, count, amount }: Plan) => amount / (MONTHS[interval] * count);

/** In the middle of its life, renewing in the night or the afternoon of a day that was drawn. */
function subscribe(
  { sandbox, prices, frame, id }: Making,
  customer: string,
  plan: Plan,
  place: number,
): string {
  const chance = (what: number) => fixedChance(frame.seed, id, what, place);
  const months = MONTHS[plan.interval] * plan.count;
  const days = Math.floor(chance(MORE_DRAWS.day) * months * 30.4);
  const hours = chance(MORE_DRAWS.hour) < 0.5 ? 2 : 14;
  const next = frame.start.plus({ days, hours });
  const since = Math.floor(next.minus({ [`${plan.interval}s`]: plan.count }).toSeconds());
  const items = [{ price: prices.get(plan) ?? '', quantity: 1 }];
  return sandbox.importSubscription({
    customer,
    items,
    backdate_start_date: since,
    billing_cycle_anchor: since,
  }).id;
}

/**
 * Filled on pay day, then emptied by the household day by day; some payers never run dry. What is charged is missing until
 * the next pay day.
 */
function createWallet(chance: Chance, { start, world }: Frame, monthly: number): Wallet {
  const isRich = chance(DRAWS.wallet) < world.rich;
  const everyDays = chance(MORE_DRAWS.payDay) < 0.4 ? 14 : 30;
  const shift = Math.floor(chance(MORE_DRAWS.payDay, 1) * everyDays);
  const taken = new Map<number, number>();
  const place = (at: DateTime) => {
    const days = at.diff(start, 'days').days + shift;
    const period = Math.floor(days / everyDays);
    return { period, gone: days / everyDays - period };
  };
  const availableAt = (at: DateTime): number => {
    if (isRich) return Number.POSITIVE_INFINITY;
    const { period, gone } = place(at);
    const income = ((monthly * everyDays) / 30) * (0.8 + 3.2 * chance(DRAWS.income, period));
    const spent = income * gone ** (0.3 + 1.5 * chance(DRAWS.spending, period));
    return income - spent - (taken.get(period) ?? 0);
  };
  return {
    availableAt,
    take: (at, amount) => {
      if (availableAt(at) < amount) return false;
      const { period } = place(at);
      taken.set(period, (taken.get(period) ?? 0) + amount);
      return true;
    },
  };
}

function createCard(
  chance: Chance,
  number: number,
  { wallet, endsAt }: { wallet: Wallet; endsAt: DateTime | undefined },
): PaymentMethodBehaviour {
  const brand = BRANDS[Math.floor(chance(MORE_DRAWS.brand, number) * BRANDS.length)] ?? 'visa';
  const last4 = String(1000 + Math.floor(chance(MORE_DRAWS.brand, number, 1) * 9000));
  const endCode = CARD_ENDS[Math.floor(chance(DRAWS.cardCode) * CARD_ENDS.length)] ?? 'lost_card';
  const input: CardInput = { brand, last4, fingerprint: `fp${chance(MORE_DRAWS.brand, number, 2)}` };
  const declined = (code: string) => ({ kind: 'declined', decline: describeDecline(code, {}) }) as const;
  return {
    details: accepts(input).details,
    answer: ({ at, amount }) => {
      if (endsAt && at >= endsAt) return declined(endCode);
      const day = Math.floor(at.toMillis() / 86_400_000);
      if (number === 0 && chance(MORE_DRAWS.refused, day) < 0.02) return declined('do_not_honor');
      return wallet.take(at, amount) ? { kind: 'accepted' } : declined('insufficient_funds');
    },
  };
}

const dayOf = ({ start, days }: Frame, drawn: number) => start.plus({ days: Math.floor(drawn * days) });
const daysSince = ({ start }: Frame, day: DateTime) => Math.floor(day.diff(start, 'days').days);
