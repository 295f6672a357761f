/** A year of failed invoices of one merchant, and everything that decides their fate whatever a policy does. */

import { createRandom, type Random } from '../../src/workbench/sandbox/random.ts';
import type { IssuerRule } from './issuer-rules.ts';
import { simulateAccount } from './simulated-accounts.ts';
import { canSucceed } from './simulated-answers.ts';
import type { Cause, SimulatedCase } from './simulated-case.ts';
import { DAYS } from './simulated-year.ts';
import type { World } from './worlds.ts';

const WINDOW_HOURS = 30 * 24;
const MONTH_HOURS = 730;
const YEAR_HOURS = 365 * 24;
/** No place sees more subscribers than this. */
const YEARLY_CHARGES = 13;

/** What an issuer's rule refuses has that rule for its cause. */
type NamedCause = Exclude<Cause, 'issuer_rule'>;
type Failure = NamedCause | IssuerRule;

/** Monthly, in percent of charges: stripe-facts 13.6. */
const RATES: readonly (readonly [NamedCause, number])[] = [
  ['false_decline', 0.98],
  ['hold', 0.84],
  ['technical', 0.4],
  ['stale', 1.18],
  ['dead', 0.94],
  ['authentication', 0.3],
];

const CODES: Readonly<Record<Exclude<NamedCause, 'no_money'>, Readonly<Record<string, number>>>> = {
  false_decline: { do_not_honor: 1 },
  hold: { insufficient_funds: 0.4, try_again_later: 0.6 },
  technical: { try_again_later: 0.8, processing_error: 0.2 },
  stale: { expired_card: 0.5, invalid_account: 0.25, do_not_honor: 0.25 },
  dead: { lost_card: 0.3, stolen_card: 0.2, invalid_account: 0.25, do_not_honor: 0.25 },
  authentication: { authentication_required: 1 },
};

const SOFT: ReadonlySet<string> = new Set([
  'insufficient_funds',
  'do_not_honor',
  'try_again_later',
  'processing_error',
  'card_velocity_exceeded',
  'issuer_not_available',
]);

/** Oldest first. */
export function generateCases(world: World, seed: number): SimulatedCase[] {
  const cases: SimulatedCase[] = [];
  for (let place = 0; place < world.subscribers; place += 1)
    cases.push(...livePlace(world, place, createRandom(seed, place)));
  cases.sort((one, other) => one.failedAt - other.failedAt);
  return cases.map((one, id) => ({ ...one, id }));
}

interface Subscriber {
  readonly id: number;
  readonly brand: SimulatedCase['brand'];
  readonly amount: number;
  readonly covers: Uint8Array | undefined;
}

function subscribe(world: World, id: number, random: Random): Subscriber {
  const brand = random.uniform() < 0.55 ? 'visa' : 'mastercard';
  const amount = Math.round(random.lognormal(3000, 0.6));
  return { id, brand, amount, covers: findMoney(world, amount, random) };
}

function findMoney(world: World, amount: number, random: Random): Uint8Array | undefined {
  if (world.balanceOf) return world.balanceOf(amount, random);
  return random.uniform() < world.strained ? simulateAccount(world, random) : undefined;
}

/** One place at the merchant's: who cannot be recovered by anybody leaves, and somebody else comes. */
function livePlace(world: World, place: number, random: Random): SimulatedCase[] {
  const cases: SimulatedCase[] = [];
  let subscriber = subscribe(world, place * YEARLY_CHARGES, random);
  let passedAt: readonly number[] = [];
  for (let hour = Math.floor(random.between(0, MONTH_HOURS)); hour < YEAR_HOURS; hour += MONTH_HOURS) {
    const cause = findCause(world, subscriber, hour, random);
    if (!cause) {
      passedAt = [...passedAt, hour];
      continue;
    }
    const failed = openCase(world, { subscriber, cause, hour, passedAt }, random);
    cases.push(failed);
    if (isRecoverable(world, failed)) continue;
    subscriber = subscribe(world, subscriber.id + 1, random);
    passedAt = [];
  }
  return cases;
}

function findCause(world: World, { covers }: Subscriber, hour: number, random: Random): Failure | undefined {
  if (covers && covers[hour] !== 1) return 'no_money';
  const rates = ratesOf(world);
  const none = 100 - rates.reduce((sum, [, rate]) => sum + rate, 0);
  return random.pick<Failure | undefined>([...rates, [undefined, none]]);
}

function ratesOf({ issuerRules }: World): readonly (readonly [Failure, number])[] {
  if (!issuerRules) return RATES;
  return [
    ...issuerRules.map((rule) => [rule, rule.rate] as const),
    ...RATES.filter(([cause]) => HARD.has(cause)),
  ];
}
const HARD: ReadonlySet<NamedCause> = new Set<NamedCause>(['stale', 'dead', 'authentication']);

interface Charge {
  subscriber: Subscriber;
  cause: Failure;
  hour: number;
  passedAt: readonly number[];
}

function openCase(
  world: World,
  { subscriber, cause: failure, hour, passedAt }: Charge,
  random: Random,
): SimulatedCase {
  const cause = typeof failure === 'string' ? failure : 'issuer_rule';
  const code = answerOf(world, failure, random);
  const issuer = typeof failure === 'string' ? undefined : failure.open(hour, random);
  const email = readEmails(world, code, random);
  const updatedAfter = cause === 'stale' && random.uniform() < 0.3 ? random.exponential(72) : Infinity;
  const canceledAfter = Math.min(email.canceledAfter, random.exponential(24 / world.cancelPerDay));
  return {
    id: 0,
    subscriber: subscriber.id,
    brand: subscriber.brand,
    amount: subscriber.amount,
    covers: subscriber.covers,
    issuer,
    passedAt,
    cause,
    code,
    failedAt: hour,
    clearsAt: hour + clearsAfter(world, cause, hour, random),
    paidByOthersAt: hour + Math.min(email.paidAfter, updatedAfter),
    endsAt: hour + Math.min(canceledAfter, WINDOW_HOURS),
  };
}

function answerOf({ hidden }: World, failure: Failure, random: Random): string {
  if (failure === 'no_money') return random.uniform() < hidden ? 'do_not_honor' : 'insufficient_funds';
  if (typeof failure !== 'string') return random.pick(Object.entries(failure.codes));
  return random.pick(Object.entries(CODES[failure]));
}

function clearsAfter(world: World, cause: Cause, hour: number, random: Random): number {
  if (cause === 'technical') return random.exponential(5);
  if (cause === 'hold') return random.uniform() < 0.5 ? 24 - (hour % 24) : random.between(24, 480);
  if (cause === 'false_decline' && random.uniform() < world.heals) return 6 + random.exponential(96);
  return Infinity;
}

/** The emails are the same plan for every policy; here is only whether and when they work. */
function readEmails({ email }: World, code: string, random: Random) {
  const isSoft = SOFT.has(code);
  let paidAfter = Infinity;
  let canceledAfter = Infinity;
  for (const [index, day] of (isSoft ? [3, 7, 12, 20] : [0, 3, 7, 14]).entries()) {
    const conversion = email * (isSoft ? 0.068 : 0.129) * 0.75 ** index;
    const delay = random.exponential(36);
    if (random.uniform() < conversion) paidAfter = Math.min(paidAfter, day * 24 + delay);
    if (email > 0 && random.uniform() < 0.01) canceledAfter = Math.min(canceledAfter, day * 24 + delay);
  }
  return { paidAfter, canceledAfter };
}

function isRecoverable(world: World, failed: SimulatedCase): boolean {
  if (failed.paidByOthersAt < failed.endsAt) return true;
  return firstSuccess(world, failed) !== undefined;
}

/** The first hour at which a single try would work: the bound that no policy passes. */
export function firstSuccess(world: World, failed: SimulatedCase): number | undefined {
  const last = Math.min(failed.endsAt, failed.paidByOthersAt, DAYS * 24);
  for (let hour = failed.failedAt + 1; hour < last; hour += 1)
    if (canSucceed(world, failed, hour)) return hour;
  return undefined;
}
