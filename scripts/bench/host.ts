/**
 * What the plugin costs the requests of the application that it is mounted in: how long a trivial route takes to answer while webhooks
 * arrive, are processed and delivered to the embedded service, with the plugin and without. All servers run at once and are asked
 * in turns, each request at its time, whatever became of the one before. Prints what the table of docs/reference/benchmarks.md is made of. The
 * time for which the loops are held is read from /proc, so it runs on Linux.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { findTestPostgres } from '../../test/support/database/postgres-server.ts';
import { median, onSides, type Server, type Side, signedEvents, stateOf } from './load.ts';
import { percentile } from './percentile.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_HOST_SECONDS ?? 10);
const WEBHOOKS_PER_SECOND = [5, 20, 50] as const;
const REQUESTS_PER_SECOND = 100;
/** Code that runs for the first time is slow on every side. */
const WARM_SECONDS = 5;

const agent = new Agent({ keepAlive: true });

function ask(url: string, headers: Record<string, string> = {}, body?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const asked = request(url, { agent, method, headers }, (answer) => {
      answer.resume();
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`${url} answered ${answer.statusCode}`)),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** Returns how long each took, in milliseconds. */
async function steadily(perSecond: number, seconds: number, send: () => Promise<void>): Promise<number[]> {
  const begun = performance.now();
  const took: Promise<number>[] = [];
  for (let sent = 0; sent < perSecond * seconds; sent += 1) {
    await sleep(Math.max(0, begun + (1000 * sent) / perSecond - performance.now()));
    const at = performance.now();
    took.push(send().then(() => performance.now() - at));
  }
  return Promise.all(took);
}

interface Answers {
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  readonly heldP99: number;
  readonly heldWorst: number;
}

async function measure({ child, url }: Server, webhooksPerSecond: number, seconds: number): Promise<Answers> {
  const events = signedEvents(webhooksPerSecond * seconds);
  await stateOf(child);
  const [took] = await Promise.all([
    steadily(REQUESTS_PER_SECOND, seconds, () => ask(`${url}/greeting`)),
    steadily(webhooksPerSecond, seconds, async () => {
      const { body, signature } = events.pop() ?? { body: '', signature: '' };
      const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
      await ask(`${url}/webhooks/stripe`, headers, body);
    }),
  ]);
  const { heldMs } = await stateOf(child);
  return {
    p50: percentile(took, 0.5),
    p99: percentile(took, 0.99),
    worst: percentile(took, 1),
    heldP99: percentile(heldMs, 0.99),
    heldWorst: percentile(heldMs, 1),
  };
}

const postgres = await findTestPostgres('on');
const sides: Side[] = [
  { name: 'without the plugin', kind: 'bare', watchesLoop: true },
  { name: 'embedded', kind: 'whole', watchesLoop: true },
];
if (postgres)
  sides.push({
    name: 'PostgreSQL',
    kind: 'whole',
    watchesLoop: true,
    databaseUrl: await postgres.createDatabase(),
  });
else console.log('PostgreSQL is left out: no DATABASE_URL_TEST and no postgres binary found.');

const results = new Map(sides.map(({ name }) => [name, new Map<number, Answers[]>()]));

/** With a server of each side running. */
async function compare(servers: ReadonlyMap<Side, Server>): Promise<void> {
  for (const server of servers.values()) await measure(server, REQUESTS_PER_SECOND, WARM_SECONDS);
  for (let round = 1; round <= ROUNDS; round += 1)
    for (const rate of WEBHOOKS_PER_SECOND)
      for (const [{ name }, server] of servers) {
        const answers = await measure(server, rate, SECONDS);
        const rates = results.get(name);
        rates?.set(rate, [...(rates.get(rate) ?? []), answers]);
        console.log(`round ${round}: ${name}, ${rate} webhooks/s: p99 ${answers.p99.toFixed(1)} ms`);
      }
}

await onSides(sides, compare);
agent.destroy();
await postgres?.stop();

console.log(
  '\n| webhooks a second | | p50 ms | p99 | worst | loop held, p99 | worst |\n|---|---|---|---|---|---|---|',
);
for (const rate of WEBHOOKS_PER_SECOND)
  for (const [name, rates] of results) {
    const all = rates.get(rate) ?? [];
    const columns = (['p50', 'p99', 'worst', 'heldP99', 'heldWorst'] as const).map((column) =>
      median(all.map((answers) => answers[column])).toFixed(1),
    );
    console.log(`| ${[rate, name, ...columns].join(' | ')} |`);
  }
