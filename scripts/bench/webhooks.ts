/**
 * Webhooks acknowledged per second, against a bare Express app that only checks the signature. All sides run in the
 * same minutes on the same machine, in turns; the ratio is the message. Prints the table of docs/reference/benchmarks.md, and ends with 1
 * where a webhook costs a tenth more than in the last run that `webhook-costs.jsonl` has.
 */
import { findTestPostgres } from '../../test/support/database/postgres-server.ts';
import { type Measurement, median, runSide, type Side } from './load.ts';
import { fetchPeer } from './peer.ts';
import { keepCosts } from './webhook-costs.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);

const postgres = await findTestPostgres('on');
const peer = postgres && fetchPeer();
const sides: Side[] = [
  { name: 'bare Express, signature only', kind: 'bare' },
  { name: 'embedded (PGlite, real fsync), receiver alone', kind: 'receiver' },
  { name: 'embedded, while events are processed and delivered', kind: 'whole' },
];
if (postgres) {
  sides.push({
    name: 'PostgreSQL, receiver alone',
    kind: 'receiver',
    databaseUrl: await postgres.createDatabase(),
  });
  sides.push({
    name: 'PostgreSQL, while events are processed and delivered',
    kind: 'whole',
    databaseUrl: await postgres.createDatabase(),
  });
  if (peer)
    sides.push({
      name: '`@supabase/stripe-sync-engine` on PostgreSQL',
      kind: 'peer',
      databaseUrl: await postgres.createDatabase(),
      peer: peer.folder,
    });
  else console.log('The peer is left out: npm could not fetch it.');
} else console.log('PostgreSQL is left out: no DATABASE_URL_TEST and no postgres binary found.');

const results = new Map<Side, Measurement[]>(sides.map((side) => [side, []]));
for (let round = 1; round <= ROUNDS; round += 1) {
  for (const side of sides) {
    const measurement = await runSide(side);
    results.get(side)?.push(measurement);
    console.log(
      `round ${round}: ${side.name}: ${Math.round(measurement.perSecond)}/s, ${measurement.failures} failures`,
    );
  }
}
await postgres?.stop();
peer?.remove();

const bare = median((results.get(sides[0] ?? { name: '', kind: 'bare' }) ?? []).map((one) => one.perSecond));
console.log(
  `\n| | acknowledged/s | of bare | processed/s | p99 ms | failures | CPU µs a request |\n|---|---|---|---|---|---|---|`,
);
const costs: Record<string, number> = {};
for (const [side, measurements] of results) {
  const rate = median(measurements.map((one) => one.perSecond));
  const processed = median(measurements.map((one) => one.processedPerSecond));
  const p99 = median(measurements.map((one) => one.p99Ms));
  const cpu = median(measurements.map((one) => one.cpuPerRequest));
  if (side.kind !== 'peer') costs[side.name] = Math.round(cpu);
  const failures = measurements.reduce((sum, one) => sum + one.failures, 0);
  console.log(
    `| ${side.name} | ${Math.round(rate)} | ${Math.round((100 * rate) / bare)} % | ${Math.round(processed)} | ${Math.round(p99)} | ${failures} | ${Math.round(cpu)} |`,
  );
}
const grown = keepCosts(costs);
for (const line of grown) console.log(`dearer: ${line}`);
if (grown.length > 0) process.exitCode = 1;
