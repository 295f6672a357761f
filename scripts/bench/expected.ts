/**
 * Whether what the overview expects of the next retries comes: a year of each of `WORLD_NAMES` (five of them) with `SUBSCRIBERS` (3,000)
 * from `SEED` (101), looked at once a week.
 */
import { type Expected, expectIn } from '../../src/plugin/operator/figures/list-figures.ts';
import { buildTimingReport } from '../../src/service/http/report-timing.ts';
import { expectMoney, type OpenRetry } from '../../src/service/policy/learning/expect-money.ts';
import type { LearnedState } from '../../src/service/policy/learning/learned.ts';
import { generateCases } from '../simulate/cases.ts';
import { createOurs } from '../simulate/our-policy.ts';
import { type Contestant, play } from '../simulate/play.ts';
import { WORLDS, type World } from '../simulate/worlds.ts';

const SEED = Number(process.env.SEED ?? 101);
const SUBSCRIBERS = Number(process.env.SUBSCRIBERS ?? 3_000);
const USUAL = "D;R;R, all weekly pay;household balances;issuers' rules";
const NAMES = (process.env.WORLD_NAMES ?? USUAL).split(';');
const WEEK_HOURS = 7 * 24;
const ROW = { currency: 'usd', currencies: new Set(['usd']) };
const RATES = { currency: 'usd', rates: new Map<string, number>() };

interface Made extends OpenRetry {
  readonly askedAt: number;
  readonly at: number;
  readonly isPaid: boolean;
}

/** All retries of the year that were made, and what was learned at the end of each week. */
function playYear(world: World) {
  const cases = generateCases({ ...world, subscribers: SUBSCRIBERS }, SEED);
  const byId = new Map(cases.map((one) => [one.id, one]));
  const asked = new Map<number, { askedAt: number; at: number }>();
  const made: Made[] = [];
  const weeks: { hour: number; state: LearnedState }[] = [];
  const ours = createOurs({
    seed: SEED,
    onAnswer: (id, odds, isPaid) => {
      const [{ subscriber, amount } = { subscriber: 0, amount: 0 }, times] = [byId.get(id), asked.get(id)];
      if (times) made.push({ ...times, customer: String(subscriber), currency: 'usd', amount, odds, isPaid });
    },
  });
  const watched: Contestant = {
    ...ours,
    next: (seen, tries, now) => {
      const { hour: last = 0 } = weeks.at(-1) ?? {};
      if (now - last >= WEEK_HOURS) weeks.push({ hour: now, state: ours.snapshot() });
      const at = ours.next(seen, tries, now);
      if (at !== undefined) asked.set(seen.id, { askedAt: now, at });
      return at;
    },
  };
  play(world, cases, watched);
  return { made, weeks };
}

function expectAt(open: readonly Made[], { odds, promises }: LearnedState): Expected | null {
  const kept = buildTimingReport([], 0, [], promises).promises;
  return expectIn({ expected: expectMoney(open, odds, kept), rates: RATES }, ROW);
}

console.log(
  '| world | weeks | said | covered, % | came, as a share of what was expected | width, as a share |',
);
console.log('|---|---|---|---|---|---|');
for (const world of WORLDS.filter(({ name }) => NAMES.includes(name))) {
  const { made, weeks } = playYear(world);
  const said = weeks.flatMap(({ hour, state }) => {
    const open = made.filter(({ askedAt, at }) => askedAt <= hour && at > hour);
    const found = expectAt(open, state);
    const came = open.reduce((sum, { isPaid, amount }) => sum + (isPaid ? amount : 0), 0);
    return found ? [{ ...found, came }] : [];
  });
  const mean = (of: (one: (typeof said)[number]) => number) =>
    said.length === 0 ? Number.NaN : said.reduce((sum, one) => sum + of(one), 0) / said.length;
  const shown = [
    100 * mean(({ low, high, came }) => Number(low <= came && came <= high)),
    mean(({ came, amount }) => came / amount),
    mean(({ low, high, amount }) => (high - low) / amount),
  ].map((figure, place) => (Number.isNaN(figure) ? '–' : figure.toFixed(place === 0 ? 0 : 2)));
  console.log(`| ${world.name} | ${weeks.length} | ${said.length} | ${shown.join(' | ')} |`);
}
