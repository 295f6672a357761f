/** A real PostgreSQL stops, starts again and ends every session while webhooks and instructions arrive. */

import pg from 'pg';
import { type OwnPostgres, startOwnPostgres } from '../support/database/postgres-server.ts';
import { eventually } from '../support/eventually.ts';
import { spawnCommand } from '../support/process/command-process.ts';
import { firstOf, IS_FULL_RUN } from '../support/runner/full-run.ts';
import { expectPaidOnce } from './paid-once.ts';
import { createSharedSite, type SharedSite } from './shared-site.ts';

/** So long after its return all is done: on a quiet machine after three seconds. A claim lasts for five minutes. */
const DELAY_MS = 200_000;
/** Payments that begin together. */
const AT_ONCE = 4;
const OUTAGES = IS_FULL_RUN ? 3 : 2;

const postgres = await startOwnPostgres();
if (postgres) describe('a database that goes away', () => tellStories(postgres));
else it.skip('a database that goes away: this machine has no PostgreSQL that a test could stop', () => {});

function tellStories(server: OwnPostgres): void {
  let site: SharedSite;
  let unpaid: string[];
  const instructed: string[] = [];
  beforeAll(async () => {
    const location = { kind: 'postgres' as const, url: server.url };
    site = await createSharedSite({ create: async () => ({ location, remove: server.stop }) });
  });
  afterAll(() => site.stop());

  it.each(
    firstOf(1, [
      ['its tables are made', 'payment_retry'],
      ['its queues are made', 'payment_retry_jobs'],
    ]),
  )('a database that goes away while %s ends the start with a sentence', async (_when, lock) => {
    const holder = new pg.Client({ connectionString: server.url });
    holder.on('error', () => {});
    await holder.connect();
    await holder.query('select pg_advisory_lock(hashtext($1))', [lock]);
    const starting = spawnCommand('start', { ...site.settings, PORT: '0' });
    await eventually(async () => {
      const waiting = 'select 1 from pg_locks where not granted';
      expect((await holder.query(waiting)).rowCount).toBe(1);
    });
    await server.halt('immediate');
    expect(await starting.ended).toBe(1);
    expect(starting.output()).toContain('The database cannot be reached: ');
    expect(starting.output()).not.toContain('    at ');
    await server.start();
  });

  async function begin(): Promise<void> {
    if (site.processes.length > 0) return;
    await site.start(1);
    unpaid = Array.from({ length: OUTAGES * (1 + AT_ONCE) }, () => site.failedRenewal().invoiceId);
    await site.untilDone(DELAY_MS);
  }
  it('a database that went away while tables were made has them after the next start', begin);

  async function instruct(count: number): Promise<void> {
    const invoiceIds = unpaid.splice(0, count);
    instructed.push(...invoiceIds);
    await Promise.all(invoiceIds.map(site.instruct));
  }

  async function expectReady(status: 200 | 503): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${site.processes[0]?.port}/readyz`);
    await response.body?.cancel();
    expect(response.status).toBe(status);
  }

  /** Two payments are at Stripe when it begins, and others are at every stage; those two are answered after it. */
  async function survive(outage: () => Promise<void>): Promise<void> {
    await begin();
    const holds = unpaid.slice(0, 2).map((id) => site.sandbox.faults.hold('POST', `/v1/invoices/${id}/pay`));
    await instruct(1);
    await holds[0]?.arrived;
    const instructing = instruct(AT_ONCE);
    await holds[1]?.arrived;
    await outage();
    for (const { release } of holds) release();
    await instructing;
    await site.untilDone(DELAY_MS);
    await expectPaidOnce(site, instructed);
    await expectReady(200);
  }

  it.each(firstOf(1, ['immediate', 'fast'] as const))(
    'a database that stops (%s) and starts again delays payments by seconds, and makes none twice',
    async (mode) => {
      const refused = () => site.sandbox.state.deliveries.filter(({ status }) => status === 503).length;
      await survive(async () => {
        await server.halt(mode);
        await expectReady(503);
        const before = refused();
        site.sandbox.createCustomer({ email: 'jo@example.com' });
        await eventually(() => expect(refused()).toBeGreaterThan(before));
        await server.start();
      });
    },
  );

  it('a database that ends every session delays payments by seconds, and makes none twice', () =>
    survive(async () => {
      const holder = new pg.Client({ connectionString: server.url });
      await holder.connect();
      // A session that idles ends unnoticed: one has to be at work, on a webhook.
      await holder.query('begin; lock table payment_retry.events');
      site.sandbox.createCustomer({ email: 'jo@example.com' });
      await eventually(async () => {
        const waiting = 'select 1 from pg_locks where not granted';
        expect((await holder.query(waiting)).rowCount).toBeGreaterThan(0);
      });
      const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
      // The sessions that come after the first time, too.
      for (let time = 0; time < 3; time += 1) await holder.query(end);
      await holder.end();
    }));

  it('a database that goes away is reported once when it goes and once when it is back', () => {
    const lines = site.processes[0]?.output() ?? '';
    const count = (text: string) => lines.split(text).length - 1;
    expect(count('the database is away')).toBeGreaterThanOrEqual(2);
    expect(count('the database is back')).toBe(count('the database is away'));
    expect(count('could not be read')).toBe(0);
  });
}
