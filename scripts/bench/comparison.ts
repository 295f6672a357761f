/**
 * Whether the comparison with Stripe's own retries says the truth: simulated accounts, customers drawn by lot, cases clustered by
 * customer with amounts of a long tail, looked at after each 100 customers. `DRAWS` (1,000) of each effect, from `SEED` (1).
 */
import { type ClusterSums, compareClusters } from '../../src/core/base/cluster-comparison.ts';
import { createRandom, type Random } from '../../src/workbench/sandbox/random.ts';

const DRAWS = Number(process.env.DRAWS ?? 1_000);
const SEED = Number(process.env.SEED ?? 1);
const CUSTOMERS = 4_000;
const LOOK = 100;
const BASE = 0.5;
/** The chance of the better and the worse customers. */
const [LOW, HIGH] = [0.15, 0.85];
const STRIPE_SHARE = 0.5;
const EFFECTS = [0, 2, 10];

type Sums = { -readonly [Name in keyof ClusterSums]: number };
interface Arms {
  cases: Sums;
  money: Sums;
}

const empty = (): Sums => ({ customers: 0, x: 0, y: 0, xx: 0, xy: 0, yy: 0 });

function add(sums: Sums, x: number, y: number): void {
  sums.customers += 1;
  sums.x += x;
  sums.y += y;
  sums.xx += x * x;
  sums.xy += x * y;
  sums.yy += y * y;
}

/** One to many cases that end alike: the customer's own chance is spread widely around that of the arm. */
function playCustomer(random: Random, arms: Arms, lift: number): void {
  const count = 1 + Math.floor(random.exponential(0.7));
  const chance = random.uniform() < (BASE + lift - LOW) / (HIGH - LOW) ? HIGH : LOW;
  const price = random.lognormal(1_500, 0.9);
  let [recovered, amount, back] = [0, 0, 0];
  for (let number = 0; number < count; number += 1) {
    const isPaid = random.uniform() < chance;
    amount += price;
    if (isPaid) recovered += 1;
    if (isPaid) back += price;
  }
  add(arms.cases, count, recovered);
  add(arms.money, amount, back);
}

interface Tally {
  last: number;
  always: number;
  shows: number;
  /** Of the last interval. */
  width: number;
}

function playDraw(seed: number, effect: number): Record<'cases' | 'money', Tally> {
  const random = createRandom(seed, effect);
  const ours: Arms = { cases: empty(), money: empty() };
  const stripe: Arms = { cases: empty(), money: empty() };
  const tally = () => ({ last: 1, always: 1, shows: 0, width: 0 });
  const tallies = { cases: tally(), money: tally() };
  for (let number = 1; number <= CUSTOMERS; number += 1) {
    const isStripes = random.uniform() < STRIPE_SHARE;
    playCustomer(random, isStripes ? stripe : ours, isStripes ? 0 : effect / 100);
    if (number % LOOK > 0) continue;
    for (const unit of ['cases', 'money'] as const) {
      const found = compareClusters(ours[unit], stripe[unit]);
      if (!found) continue;
      const covers = found.low <= effect && effect <= found.high;
      const one = tallies[unit];
      one.last = Number(covers);
      if (!covers) one.always = 0;
      if (found.low > 0 || found.high < 0) one.shows = 1;
      one.width = found.high - found.low;
    }
  }
  return tallies;
}

console.log(
  `${DRAWS} draws of ${CUSTOMERS} customers, ${100 * STRIPE_SHARE} % left to Stripe, seed ${SEED}; a look each ${LOOK}\n`,
);
console.log(
  '| true effect, points | in | covered at the last look, % | covered at every look, % | a difference was ever shown, % | width at the end, points |',
);
console.log('|---|---|---|---|---|---|');
for (const effect of EFFECTS) {
  const draws = Array.from({ length: DRAWS }, (_, index) => playDraw(SEED + index, effect));
  for (const unit of ['cases', 'money'] as const) {
    const mean = (of: keyof Tally) => draws.reduce((sum, draw) => sum + draw[unit][of], 0) / draws.length;
    const share = (of: keyof Tally) => (100 * mean(of)).toFixed(1);
    console.log(
      `| ${effect} | ${unit} | ${share('last')} | ${share('always')} | ${share('shows')} | ${mean('width').toFixed(1)} |`,
    );
  }
}
