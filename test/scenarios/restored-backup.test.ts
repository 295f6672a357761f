/** A backup from before some payments is put back: what was done since is not known here, and must not be done twice. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { runOnStore } from '../../src/cli/process/run-on-store.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { EMBEDDED, type Engine, POSTGRES, type TestLocation } from '../support/database/databases.ts';
import { blockOf } from '../support/http/page-commands.ts';
import { spawnCommand, toTerminal } from '../support/process/command-process.ts';
import { firstOf } from '../support/runner/full-run.ts';
import { type CrashSite, createCrashSite } from './crash-site.ts';

interface Way {
  readonly engine: Engine;
  readonly name: string;
  /** By the commands of the page. Returns the settings of a process on what was restored. */
  backUp(place: TestLocation, folder: string): Promise<void>;
  restore(folder: string): Promise<Record<string, string>>;
}

const inShell = (first: string, env: Record<string, string>, cwd: string) =>
  execFileSync('sh', ['-c', blockOf('backup.md', first)], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: 'pipe',
  });

const restored: TestLocation[] = [];

const embedded: Way = {
  engine: EMBEDDED,
  name: 'the embedded database, copied while it works',
  backUp: async ({ location }, folder) => {
    const dataDir = location.kind === 'embedded' ? location.directory : '';
    const said: string[] = [];
    expect([
      await runOnStore('db backup', [join(folder, 'copy')], {}, toTerminal(said), { dataDir }),
      said,
    ]).toEqual([0, [expect.stringContaining('as of')]]);
  },
  restore: async (folder) => ({ DATA_DIR: join(folder, 'copy') }),
};

const postgres = (engine: Engine): Way => ({
  engine,
  name: 'PostgreSQL, by pg_dump and pg_restore',
  backUp: async ({ location }, folder) => {
    inShell(
      'pg_dump --format=custom --file=payment-retry.dump "$DATABASE_URL"',
      { DATABASE_URL: urlOf(location) },
      folder,
    );
  },
  restore: async (folder) => {
    const fresh = await engine.create();
    restored.push(fresh);
    const env = { DATABASE_URL: urlOf(fresh.location) };
    inShell('pg_restore --exit-on-error --no-owner --dbname="$DATABASE_URL" payment-retry.dump', env, folder);
    return env;
  },
});

const urlOf = (location: TestLocation['location']) => (location.kind === 'postgres' ? location.url : '');

/** pg_dump refuses a server that is newer than itself. */
function hasTools(): boolean {
  try {
    const run = (file: string, ...args: string[]) =>
      execFileSync(file, args, { encoding: 'utf8', stdio: 'pipe' });
    const server = run('psql', process.env.DATABASE_URL_TEST ?? '', '-Atc', 'show server_version_num');
    const [, own = '0'] = /(\d+)/.exec(run('pg_dump', '--version')) ?? [];
    return Number(own) >= Math.floor(Number(server) / 10_000);
  } catch {
    return false;
  }
}

/** What is done after it is the same on both; pg_dump and pg_restore are PostgreSQL's own. */
const ways = firstOf(1, [embedded, ...(hasTools() ? POSTGRES.map(postgres) : [])]);

(hasTools() ? test.skip : test)(
  'the restore on PostgreSQL is tried where psql and a pg_dump of its version are found',
  () => {
    expect(ways).toEqual([embedded]);
  },
);

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const DAILY = {
  'compose.yaml': () => parse(read('compose.yaml')).services.backup.command[2].replaceAll('$$', '$'),
  'kubernetes.yaml': () => {
    const documents = parseAllDocuments(read('docs/how-to/files/kubernetes.yaml')).map((one) => one.toJS());
    const job = documents.find(({ kind }) => kind === 'CronJob');
    return job.spec.jobTemplate.spec.template.spec.containers[0].command[2];
  },
};

(hasTools() && POSTGRES.length > 0
  ? test.each(Object.entries(DAILY))
  : test.skip.each(Object.entries(DAILY)))(
  'the daily dump of %s is whole, and one that fails leaves the last one',
  async (_, script) => {
    const folder = mkdtempSync(join(tmpdir(), 'daily-'));
    const [engine] = POSTGRES;
    const place = await engine?.createMigrated();
    try {
      const once = String(script())
        .replaceAll('/backups/', `${folder}/`)
        .replaceAll(/\/run\/secrets\/(payment-retry\/)?/g, `${folder}/`)
        .replace('sleep 86400', 'exit');
      const dump = () => execFileSync('sh', ['-c', once], { stdio: 'pipe' });
      writeFileSync(join(folder, 'database_url'), place ? urlOf(place.location) : '');
      dump();
      const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.dump'));
      const list = () => execFileSync('pg_restore', ['--list', join(folder, name)], { encoding: 'utf8' });
      expect(list()).toContain(' TABLE DATA payment_retry actions ');
      writeFileSync(join(folder, 'database_url'), 'postgres://nobody@127.0.0.1:1/none');
      expect(dump).toThrow('Connection refused');
      expect(list()).toContain(' TABLE DATA payment_retry actions ');
    } finally {
      await place?.remove();
      rmSync(folder, { recursive: true });
    }
  },
);

describe.each(ways)('after a restore of $name', ({ engine, backUp, restore }) => {
  let site: CrashSite;
  let place: TestLocation;
  const folder = mkdtempSync(join(tmpdir(), 'restored-'));
  beforeAll(async () => {
    place = await engine.createMigrated();
    site = await createCrashSite({ ...engine, createMigrated: async () => place });
  });
  afterAll(async () => {
    await site?.stop();
    for (const { remove } of restored.splice(0)) await remove();
    rmSync(folder, { recursive: true });
  });

  const payCalls = (id: string) =>
    site.sandbox.state.apiCalls.filter(({ path }) => path === `/v1/invoices/${id}/pay`).length;
  function paused(settings: Record<string, string>): Promise<number | null> {
    const [, line = ''] = blockOf(
      'backup.md',
      'npx stripe-payment-retry pause --reason "restored from a backup"',
    ).split('\n');
    const [, reason = ''] = /--reason "(.*)"/.exec(line) ?? [];
    return spawnCommand(['pause', '--reason', reason], settings).ended;
  }
  /** What became of the payments that were asked for, once a guard has looked at them. */
  async function judged(): Promise<Map<unknown, unknown>> {
    const rows = await site.plugin.query(
      `select invoice_id, state from payment_retry.actions where kind = 'pay' and reason is not null`,
    );
    return new Map(rows.map(({ invoiceId, state }) => [invoiceId, state]));
  }
  const charges = () => [...site.sandbox.state.charges.newestFirst()].length;

  it('nothing is charged twice after a restore, and what happened meanwhile becomes known', async () => {
    const paid = await site.renewal();
    const declined = await site.renewal((card) => declinesTimes(9, 'insufficient_funds', {}, card));
    await site.settle();
    await site.pass({ hours: 25 }, { hours: 25 });
    for (const { invoiceId } of [paid, declined])
      expect(await site.instruct(invoiceId, 'ACTION_SUGGESTION_RETRY')).toBe(200);
    // Both are known and not yet carried out.
    await backUp(place, folder);
    await site.settle();
    expect([paid, declined].map(({ invoiceId }) => payCalls(invoiceId))).toEqual([1, 1]);
    expect(site.sandbox.state.invoices.get(paid.invoiceId)?.status).toBe('paid');
    const fresh = await site.renewal();
    await site.settle();
    const before = charges();

    await site.plugin.kill();
    const settings = await restore(folder);
    expect(await paused(settings)).toBe(0);
    await site.start(settings);
    await site.settle();
    const [waiting] = await site.plugin.query(`select count(*)::int as count from payment_retry.pauses`);
    expect(waiting).toEqual({ count: 1 });
    Object.assign(process.env, settings);
    expect(await runOnStore('resume', [], {}, toTerminal([]))).toBe(0);
    // Before Stripe's list of events has been read.
    site.sandbox.faults.next('GET', '/v1/events', 'permission_denied', 1_000);
    await site.pass({ minutes: 10 });
    const states = await judged();
    expect([paid, declined].map(({ invoiceId }) => states.get(invoiceId))).toEqual(['closed', 'scheduled']);
    expect([paid, declined].map(({ invoiceId }) => payCalls(invoiceId))).toEqual([1, 1]);
    site.sandbox.faults.clear();
    await site.pass({ minutes: 10 });
    expect(charges()).toBe(before);
    const failures = await site.plugin.query(
      `select invoice_id, count(*)::int as count from payment_retry.attempts where outcome = 'declined' group by 1`,
    );
    const counts = new Map(failures.map(({ invoiceId, count }) => [invoiceId, count]));
    expect(counts.get(declined.invoiceId)).toBe(2);
    expect(counts.get(fresh.invoiceId)).toBe(1);
  });
});
