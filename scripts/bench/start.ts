/**
 * What `start` costs until it is ready, and what a process costs that has nothing to do, in processor time: on the embedded database and
 * on PostgreSQL, all of whose processes are counted apart; and what memory it then holds. Reads /proc, so it runs on Linux. Run `npm run build` before.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { findTestPostgres } from '../../test/support/database/postgres-server.ts';
import { megabytesOf, secondsOf, serverOf, serverSeconds } from './cpu.ts';

const IDLE_SECONDS = Number(process.env.BENCH_IDLE_SECONDS ?? 60);
/** What a start sets off is over by then. */
const SETTLE_SECONDS = 60;
const PROGRAM = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** An account without anything in it. */
const stripe = createServer((req, res) => {
  const isAccount = req.url?.startsWith('/v1/account') ?? false;
  res.setHeader('content-type', 'application/json');
  res.end(JSON.stringify(isAccount ? { id: 'acct_1', object: 'account' } : { object: 'list', data: [] }));
}).listen(0, '127.0.0.1');
await once(stripe, 'listening');
const address = stripe.address();
const stripePort = typeof address === 'object' && address !== null ? address.port : 0;

/** PostgreSQL's, where it is measured. */
let server = 0;

async function measure(
  name: string,
  place: { DATA_DIR: string } | { DATABASE_URL: string },
  idleSeconds: number,
): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, 'start'], {
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      SERVICE_PORT: '0',
      RETRY_MODE: 'advisory',
      STRIPE_SECRET_KEY: 'sk_test_bench_not_a_real_key',
      STRIPE_WEBHOOK_SECRET: 'whsec_bench',
      STRIPE_API_BASE: `http://127.0.0.1:${stripePort}`,
      BUSINESS_ENTITY: 'Bench Inc.',
      ...place,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { pid = 0 } = child;
  const begun = performance.now();
  for await (const line of child.stdout) if (String(line).includes('"listening"')) break;
  const wall = (performance.now() - begun) / 1000;
  const ready = secondsOf(pid);
  let idle = '';
  if (idleSeconds > 0) {
    const both = () => [secondsOf(pid), serverSeconds(server)] as const;
    await sleep(1000 * SETTLE_SECONDS);
    const before = both();
    await sleep(1000 * idleSeconds);
    const after = both();
    const percent = (index: 0 | 1) => ((100 * (after[index] - before[index])) / idleSeconds).toFixed(1);
    idle = `${percent(0)} % | ${'DATABASE_URL' in place ? `${percent(1)} %` : ''} | ${megabytesOf(pid)}`;
  }
  console.log(`| ${name} | ${wall.toFixed(1)} | ${ready.toFixed(1)} | ${idle || ' | | '} |`);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

console.log(
  '| | ready, s | processor s until then | idle, of a core | of PostgreSQL | MB then |\n|---|---|---|---|---|---|',
);
const folder = mkdtempSync(join(tmpdir(), 'payment-retry-bench-start-'));
await measure('embedded, empty folder', { DATA_DIR: folder }, 0);
await measure('embedded, existing folder', { DATA_DIR: folder }, IDLE_SECONDS);
rmSync(folder, { recursive: true });
const postgres = await findTestPostgres('on');
if (postgres) {
  const DATABASE_URL = await postgres.createDatabase();
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  server = serverOf(rows[0]?.pid ?? 0);
  await client.end();
  await measure('PostgreSQL, empty database', { DATABASE_URL }, 0);
  await measure('PostgreSQL, existing database', { DATABASE_URL }, IDLE_SECONDS);
  await postgres.stop();
} else console.log('PostgreSQL is left out: no DATABASE_URL_TEST and no postgres binary found.');
stripe.close();
