/**
 * Webhooks against a bare Express app that only checks the signature, in bursts. The servers of all sides run at once and are asked in
 * turns; what is compared are bursts of one round, so that a busy machine changes the ratios little. Prints the table of
 * docs/reference/benchmarks.md, and ends with 1 where a webhook costs a tenth more than in the last run that `webhook-costs.jsonl` has.
 */
import { findTestPostgres } from '../../test/support/database/postgres-server.ts';
import { type Measurement, measureBurst, median, onSides, type Side } from './load.ts';
import { fetchPeer } from './peer.ts';
import { keepCosts } from './webhook-costs.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const EVENTS = Number(process.env.BENCH_EVENTS ?? 2_000);
/** Until the compiler of the engine knows the way of a webhook. */
const WARM_UPS = 4;
/** Another checkout, whose sides are measured in the same turns. */
const { BENCH_BESIDE: beside } = process.env;

const postgres = await findTestPostgres('on');
const peer = postgres && fetchPeer();
const sides: Side[] = [
  { name: 'bare Express, signature only', kind: 'bare' },
  ...(await sidesOf()),
  ...(beside ? await sidesOf(beside) : []),
];
if (!postgres) console.log('PostgreSQL is left out: no DATABASE_URL_TEST and no postgres binary found.');
else if (peer)
  sides.push({
    name: '`@supabase/stripe-sync-engine` on PostgreSQL',
    kind: 'peer',
    databaseUrl: await postgres.createDatabase(),
    peer: peer.folder,
  });
else console.log('The peer is left out: npm could not fetch it.');

async function sidesOf(checkout?: string): Promise<Side[]> {
  const where = checkout ? { checkout } : {};
  const kinds = [
    ['receiver', 'receiver alone'],
    ['whole', 'while events are processed and delivered'],
  ] as const;
  const found: Side[] = [];
  for (const [kind, name] of kinds)
    found.push({ name: `embedded (PGlite, real fsync), ${name}`, kind, ...where });
  for (const [kind, name] of kinds)
    if (postgres)
      found.push({
        name: `PostgreSQL, ${name}`,
        kind,
        databaseUrl: await postgres.createDatabase(),
        ...where,
      });
  return found.map((side) => (checkout ? { ...side, name: `${side.name} (${checkout})` } : side));
}

const results = new Map<Side, Measurement[]>(sides.map((side) => [side, []]));
await onSides(sides, async (servers) => {
  for (let round = 1 - WARM_UPS; round <= ROUNDS; round += 1)
    for (const [side, server] of servers) {
      const measurement = await measureBurst(server, EVENTS);
      if (round > 0) results.get(side)?.push(measurement);
    }
});
await postgres?.stop();
peer?.remove();

/** Of the same round: what else the machine does changes from one to the next. */
function partOfBare(side: Side, of: (one: Measurement) => number): number {
  const bare = results.get(sides[0] ?? side) ?? [];
  const parts = (results.get(side) ?? []).map((one, round) => of(one) / of(bare[round] ?? one));
  return median(parts);
}

console.log(
  `\n| | acknowledged/s | of bare | processed and delivered/s | p99 ms | failures | CPU µs a webhook | times bare | and in PostgreSQL |\n|---|---|---|---|---|---|---|---|---|`,
);
const costs: Record<string, number> = {};
const bareCpu = median([...results.values()][0]?.map((one) => one.cpuPerRequest) ?? []);
for (const [side, measurements] of results) {
  const middle = (of: keyof Measurement) => Math.round(median(measurements.map((one) => one[of])));
  const cpu = partOfBare(side, (one) => one.cpuPerRequest);
  const failures = measurements.reduce((sum, one) => sum + one.failures, 0);
  if (side.kind !== 'peer' && !side.checkout) costs[side.name] = Math.round(cpu * bareCpu);
  const columns = [
    side.name,
    middle('perSecond'),
    `${Math.round(100 * partOfBare(side, (one) => one.perSecond))} %`,
    middle('settledPerSecond'),
    middle('p99Ms'),
    failures,
    middle('cpuPerRequest'),
    cpu.toFixed(2),
    middle('databaseCpuPerRequest'),
  ];
  console.log(`| ${columns.join(' | ')} |`);
}
const grown = keepCosts(costs);
for (const line of grown) console.log(`dearer: ${line}`);
if (grown.length > 0) process.exitCode = 1;
