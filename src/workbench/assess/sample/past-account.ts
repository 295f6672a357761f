/** A simulated account with a year behind it, in which Stripe's own retries did the collecting. */
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../core/base/clock.ts';
import { type Agenda, createAgenda } from '../../customers/agenda.ts';
import { ApiError } from '../../sandbox/api-error.ts';
import { describeDecline } from '../../sandbox/decline-details.ts';
import {
  accepts,
  type CardInput,
  cardThat,
  type PaymentMethodBehaviour,
} from '../../sandbox/payment-behaviour.ts';
import { createRandom, fixedChance, type Random } from '../../sandbox/random.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';

export interface PastOptions {
  /** When the year ends. */
  readonly end: DateTime;
  readonly customers: number;
  readonly seed: number;
  readonly months?: number;
}

/** Share of the open invoices that the merchant retries by hand on the last days of a month. */
const SHARE_BY_HAND = 0.5;

/** The caller stops it. */
export async function startPastAccount(options: PastOptions): Promise<Sandbox> {
  const { end, seed, months = 12 } = options;
  const start = end.minus({ months });
  const clock = createSimulatedClock(start);
  const sandbox = await startSandbox({
    clock,
    seed,
    accountName: 'Northwind Tea (simulated)',
    stripeRetries: 'smart',
    afterLastRetry: 'past_due',
  });
  const agenda = createAgenda();
  addCustomers(sandbox, agenda, { ...options, start });
  const random = createRandom(seed);
  for (let month = 1; month <= months; month += 1)
    agenda.add(start.plus({ months: month }).minus({ days: 2 }), () => tryByHand(sandbox, random));
  for (;;) {
    const next = DateTime.min(sandbox.nextDueAt() ?? end, agenda.nextAt() ?? end);
    if (next >= end) break;
    if (next > clock.now()) await clock.set(next);
    await agenda.runDue(clock.now());
    await sandbox.run();
  }
  await clock.set(end);
  return sandbox;
}

function addCustomers(
  sandbox: Sandbox,
  agenda: Agenda,
  { start, end, customers, seed }: PastOptions & { readonly start: DateTime },
): void {
  const days = Math.floor(end.diff(start).as('days'));
  const prices = new Map<string, string>();
  for (let index = 0; index < customers; index += 1) {
    const { currency, amount, country, card, startsOnDay, replacement } = createPastCustomer(seed, index, {
      start,
      days,
    });
    const price =
      prices.get(currency) ??
      sandbox.createPrice({ currency, unit_amount: amount, product_data: { name: 'Tea box' } }).id;
    prices.set(currency, price);
    const { id } = sandbox.createCustomer({ name: `Customer ${index + 1}`, country, paymentMethod: card });
    sandbox.importSubscription({
      customer: id,
      currency,
      items: [{ price }],
      billing_cycle_anchor: Math.floor(start.plus({ days: startsOnDay, hours: index % 24 }).toSeconds()),
    });
    if (replacement && replacement.day < days)
      agenda.add(start.plus({ days: replacement.day }), () => {
        sandbox.changeDefaultCard(id, replacement.card);
      });
  }
}

function tryByHand(sandbox: Sandbox, random: Random): void {
  for (const { id, status, attempted } of sandbox.state.invoices.newestFirst()) {
    if (status !== 'open' || !attempted || random.uniform() > SHARE_BY_HAND) continue;
    tryToCharge(sandbox, id);
  }
}

type Kind = 'fine' | 'short_of_money' | 'unexplained' | 'dying_card' | 'wants_confirmation';

const KINDS: readonly (readonly [Kind, number])[] = [
  ['fine', 62],
  ['short_of_money', 20],
  ['unexplained', 9],
  ['dying_card', 7],
  ['wants_confirmation', 2],
];
const MARKETS: readonly (readonly [readonly [country: string, currency: string, amount: number], number])[] =
  [
    [['US', 'usd', 2900], 55],
    [['DE', 'eur', 2490], 30],
    [['GB', 'gbp', 2250], 15],
  ];
const BRANDS = Object.entries({ visa: 58, mastercard: 34, amex: 8 });
const DEATHS = Object.entries({
  expired_card: 55,
  lost_card: 25,
  stolen_card: 10,
  transaction_not_allowed: 10,
});
const PAY_DAYS = [1, 15] as const;

/** A simulated customer of a merchant who uses Stripe's own retries: how the cards answer over a year. */
function createPastCustomer(seed: number, index: number, { start, days }: { start: DateTime; days: number }) {
  const random = createRandom(seed, index);
  const [country, currency, amount] = random.pick(MARKETS);
  const brand = random.pick(BRANDS);
  const look = { brand, country, last4: String(1000 + (index % 9000)), fingerprint: `fp${seed}x${index}` };
  const kind = random.pick(KINDS);
  const diesOnDay = Math.floor(random.between(20, days));
  const card = behave(kind, {
    look,
    random,
    seed: seed * 100_003 + index,
    diesAt: start.plus({ days: diesOnDay }),
  });
  const isReplaced = kind === 'dying_card' && random.uniform() < 0.55;
  return {
    country,
    currency,
    amount,
    /** Days after the start at which the first of the year's renewals is due. */
    startsOnDay: Math.floor(random.between(0, 30)),
    card,
    /** Undefined for customers who never replace the card that died. */
    replacement: isReplaced
      ? {
          day: diesOnDay + Math.ceil(random.between(2, 28)),
          card: accepts({ ...look, fingerprint: `${look.fingerprint}n`, last4: '4242' }),
        }
      : undefined,
  };
}

interface Traits {
  readonly look: CardInput;
  readonly random: Random;
  readonly seed: number;
  readonly diesAt: DateTime;
}

function behave(kind: Kind, { look, random, seed, diesAt }: Traits): PaymentMethodBehaviour {
  const answering = (codeAt: (moment: { at: DateTime; day: number }) => string | undefined) =>
    cardThat(look, ({ at }) => {
      const code = codeAt({ at, day: Math.floor(at.toSeconds() / 86_400) });
      return code === undefined ? undefined : describeDecline(code, {});
    });
  const reach = random.between(1, 6);
  switch (kind) {
    case 'fine':
      return accepts(look);
    case 'short_of_money':
      return answering(({ at, day }) =>
        daysSincePay(at) <= reach || fixedChance(seed, day) < 0.12 ? undefined : 'insufficient_funds',
      );
    case 'unexplained':
      return answering(({ day }) => (fixedChance(seed, day) < 0.4 ? undefined : 'do_not_honor'));
    case 'dying_card': {
      const reason = random.pick(DEATHS);
      return answering(({ at }) => (at < diesAt ? undefined : reason));
    }
    case 'wants_confirmation':
      return answering(({ day }) => (fixedChance(seed, day) < 0.7 ? undefined : 'authentication_required'));
  }
}

function daysSincePay(at: DateTime): number {
  const passed = PAY_DAYS.filter((day) => day <= at.day);
  return at.day - (passed.at(-1) ?? 1);
}

/** A decline, a debit that is under way, an invoice that was settled meanwhile: the schedule goes on, or ends. */
function tryToCharge(sandbox: Sandbox, id: string): void {
  try {
    sandbox.payAsMerchant(id);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
