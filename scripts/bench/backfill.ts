/**
 * The backfill of BENCH_SUBSCRIPTIONS (a million) subscriptions, in subscriptions a second against Stripe's limit of 25
 * pages of a hundred, and the memory it takes. BENCH_PACE asks faster than Stripe would allow, to see what our own
 * code can do. Prints the table of docs/reference/benchmarks.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { findTestPostgres } from '../../test/support/database/postgres-server.ts';

const COUNT = Number(process.env.BENCH_SUBSCRIPTIONS ?? 1_000_000);
const PACE = process.env.BENCH_PACE;
/** `embedded`, `postgres`, or both. */
const SIDES = (process.env.BENCH_SIDES ?? 'embedded,postgres').split(',');
const STRIPE_PER_SECOND = 25;
const PAGE = 100;

const measurement = z.object({
  read: z.number(),
  readSeconds: z.number(),
  allSeconds: z.number(),
  cpuSeconds: z.number(),
  rssStart: z.number(),
  rssMost: z.number(),
});
const summary = z.object({ distinct: z.number(), delivered: z.number(), throttled: z.number() });

function startScript(name: string, env: Record<string, string>): ChildProcess {
  const script = new URL(name, import.meta.url).pathname;
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

async function firstLine(child: ChildProcess, pattern: RegExp): Promise<string> {
  if (!child.stdout) throw new Error('The process has no output.');
  for await (const line of createInterface({ input: child.stdout })) {
    const [, found] = pattern.exec(line) ?? [];
    if (found) return found;
  }
  throw new Error('The process ended before it said what it was asked.');
}

async function measure(name: string, databaseUrl?: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'payment-retry-bench-'));
  const limit = PACE ? '1000000' : String(STRIPE_PER_SECOND);
  const stripe = startScript('stripe.ts', { BENCH_COUNT: String(COUNT), BENCH_LIMIT: limit });
  try {
    const url = await firstLine(stripe, /^ready (.+)$/);
    const side = startScript('backfill-side.ts', {
      BENCH_URL: url,
      BENCH_DATA_DIR: directory,
      ...(databaseUrl ? { BENCH_DATABASE_URL: databaseUrl } : {}),
    });
    const result = measurement.parse(JSON.parse(await firstLine(side, /^(\{.+\})$/)));
    const { distinct, delivered, throttled } = summary.parse(await (await fetch(`${url}/summary`)).json());
    if (distinct !== COUNT || result.read !== COUNT)
      throw new Error(`Of ${COUNT} subscriptions ${result.read} were read and ${distinct} delivered.`);
    const rate = Math.round(COUNT / result.readSeconds);
    const share = Math.round((100 * rate) / (STRIPE_PER_SECOND * PAGE));
    return [
      `| ${name}`,
      rate,
      `${share} %`,
      Math.round(result.readSeconds),
      Math.round(result.allSeconds),
      Math.round(result.cpuSeconds),
      delivered - distinct,
      throttled,
      result.rssStart,
      `+${result.rssMost - result.rssStart} |`,
    ].join(' | ');
  } finally {
    stripe.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const rows: string[] = [];
if (SIDES.includes('embedded')) rows.push(await measure('embedded (PGlite, real fsync)'));
if (SIDES.includes('postgres')) {
  const postgres = await findTestPostgres('on');
  if (postgres) rows.push(await measure('PostgreSQL', await postgres.createDatabase()));
  else console.log('PostgreSQL is left out: no DATABASE_URL_TEST and no postgres binary found.');
  await postgres?.stop();
}
console.log(
  `\n| ${COUNT} subscriptions | read/s | of Stripe's limit | read after s | delivered after s | CPU s | sent twice | 429 | MB at start | MB at most |\n|---|---|---|---|---|---|---|---|---|---|`,
);
console.log(rows.join('\n'));
