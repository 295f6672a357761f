/** Two and three real processes on one PostgreSQL share the work, and are killed in the middle of it. */
import { systemClock } from '../../src/core/base/clock.ts';
import { leaveInboxTurn, takeInboxTurn } from '../../src/plugin/store/tables/sync/inbox-turns.ts';
import { onPostgres } from '../support/database/databases.ts';
import { eventually } from '../support/eventually.ts';
import { carryOut, operationsOn } from '../support/operate.ts';
import { spawnCommand } from '../support/process/command-process.ts';
import type { ServerProcess } from '../support/process/server-process.ts';
import { IS_FULL_RUN, inFull } from '../support/runner/full-run.ts';
import { expectPaidOnce } from './paid-once.ts';
import { createSharedSite, type SharedSite } from './shared-site.ts';

/**
 * How long the death of a process may delay what it had in its hands: its session is gone at once, five seconds of
 * grace and two until somebody looks free its claims, and the queue's heartbeat frees its jobs within 25 seconds. A busy
 * machine takes longer; without all that, claims and jobs are free only after five minutes.
 */
const DELAY_MS = 200_000;
const PAY = /\/pay$/;
/** More than one process has in its hands while Stripe is silent: a batch of twenty. */
const TOO_MANY_FOR_ONE = 24;
/** What one process shows, too: in its own tests, which are quicker. */

onPostgres('several processes on postgres', (engine) => {
  let site: SharedSite;
  beforeAll(async () => {
    site = await createSharedSite(engine);
    // On an empty database, at once.
    await site.start(2);
  });
  afterAll(() => site?.stop());

  const ownerOf = async (sql: string): Promise<ServerProcess> => {
    const [row] = await site.database.query<{ claimedBy: number }>(sql);
    const owner = site.processes.find(({ number }) => number === row?.claimedBy);
    if (!owner) throw new Error(`No living process has the claim ${row?.claimedBy}.`);
    return owner;
  };
  const thoseWith = async (state: 'running' | 'done') =>
    (
      await site.database.query<{ by: number }>(
        `select distinct claimed_by as by from payment_retry.actions where state = $1 order by by`,
        [state],
      )
    ).map(({ by }) => by);

  const invoices: string[] = [];
  function renew(count: number): string[] {
    const ids = Array.from({ length: count }, () => site.failedRenewal().invoiceId);
    invoices.push(...ids);
    return ids;
  }
  async function work(count: number): Promise<void> {
    await Promise.all(renew(count).map(site.instruct));
  }

  inFull('several processes start at once on an empty database, and share the work', async () => {
    const numbers = site.processes.map(({ number }) => number).sort((a, b) => a - b);
    const due = renew(TOO_MANY_FOR_ONE);
    const holds = due.map((id) => site.sandbox.faults.hold('POST', `/v1/invoices/${id}/pay`));
    await Promise.all(due.map(site.instruct));
    // Nobody is done with a payment before both have one.
    await eventually(async () => expect(await thoseWith('running')).toEqual(numbers));
    for (const { release } of holds) release();
    await site.untilDone(DELAY_MS);
    await expectPaidOnce(site, invoices);
    expect(await thoseWith('done')).toEqual(numbers);
  });

  it('several processes lose one in a payment and one in a delivery: both are done once, in seconds', async () => {
    await site.start(1);
    const hold = site.sandbox.faults.hold('POST', PAY);
    await work(1);
    await hold.arrived;
    const paying = await ownerOf(
      `select claimed_by as "claimedBy" from payment_retry.actions where state = 'running'`,
    );
    const delivery = holdDelivery();
    const working = work(6);
    await delivery.arrived;
    const delivering = await ownerOf(
      `select claimed_by as "claimedBy" from payment_retry.subscriptions where claimed_until is not null limit 1`,
    );
    await site.kill(paying);
    if (delivering !== paying) await site.kill(delivering);
    const killedAt = Date.now();
    // Stripe carries out what it was asked; nobody hears the answer.
    hold.release();
    delivery.release();
    const restarted = site.start(1);
    await working;
    await site.untilDone(DELAY_MS);
    const tookMs = Date.now() - killedAt;
    await restarted;
    await expectPaidOnce(site, invoices);
    expect(tookMs).toBeLessThan(DELAY_MS);
  });

  inFull(
    "several processes leave an account's events to the one whose turn it is, and take what it leaves",
    async () => {
      const turn = { account: 'own', process: 0 };
      const later = { seconds: 50 };
      await eventually(async () =>
        expect(await takeInboxTurn(site.database, turn, systemClock.now().plus(later))).toBe(true),
      );
      site.failedRenewal();
      const waiting = () =>
        site.database.query(
          `select 1 as one from payment_retry_jobs.job where name = 'take-events' and state = 'active'
           and started_on < now() - interval '1 second'
           and exists (select 1 from payment_retry.events where processed_at is null)`,
        );
      await eventually(async () => expect(await waiting()).not.toHaveLength(0));
      await leaveInboxTurn(site.database, turn);
      await site.untilDone(DELAY_MS);
    },
  );

  inFull('several processes pause together within seconds, and go on together', async () => {
    const operations = operationsOn({ database: site.database, clock: systemClock });
    await carryOut(operations, 'pause', {}, 'a test');
    await eventually(() => {
      for (const { output } of site.processes) expect(output()).toContain('"reason":"a test"');
    });
    const payments = () => site.sandbox.state.apiCalls.filter(({ path }) => PAY.test(path)).length;
    const before = payments();
    const due = renew(6);
    await Promise.all(due.map(site.instruct));
    await eventually(async () => {
      const rows = await site.database.query(
        `select 1 as one from payment_retry.actions where invoice_id = any($1) and state = 'scheduled'`,
        [due],
      );
      expect(rows).toHaveLength(due.length);
    });
    expect(payments()).toBe(before);
    await carryOut(operations, 'resume');
    await site.untilDone(DELAY_MS);
    await expectPaidOnce(site, invoices);
  });

  inFull(
    'several processes are told of what a command asks for, instead of finding it minutes later',
    async () => {
      const [invoiceId = ''] = renew(1);
      const known = () =>
        site.database.query('select 1 as one from payment_retry.invoices where id = $1', [invoiceId]);
      await eventually(async () => expect(await known()).toHaveLength(1));
      const command = spawnCommand(
        ['invoices', 'retry', invoiceId, '--reason', 'the customer called'],
        site.settings,
      );
      expect({ code: await command.ended, output: command.output() }).toMatchObject({ code: 0 });
      const jobs = await site.database.query(
        `select 1 as one from payment_retry_jobs.job, payment_retry.actions
       where job.name = 'execute-action' and data->>'actionId' = actions.id::text and invoice_id = $1`,
        [invoiceId],
      );
      expect(jobs).not.toHaveLength(0);
      await site.untilDone(DELAY_MS);
      await expectPaidOnce(site, invoices);
    },
  );

  // The story of the faults kills at any moment, too.
  if (IS_FULL_RUN)
    it('several processes do each payment once when one is lost at any moment while work streams in', async () => {
      for (let round = 0; round < 2; round += 1) {
        const working = work(6);
        await eventually(async () => {
          const [row] = await site.database.query<{ count: number }>(
            `select count(*) as count from payment_retry.actions where state = 'running'`,
          );
          expect(row?.count).toBeGreaterThan(0);
        });
        const [oldest] = site.processes;
        if (oldest) await site.kill(oldest);
        await Promise.all([working, site.start(1)]);
      }
      await site.untilDone(DELAY_MS);
      await expectPaidOnce(site, invoices);
    });

  inFull('several processes hand over at once when one is asked to stop', async () => {
    const working = work(6);
    const [leaving] = site.processes;
    if (!leaving) throw new Error('Nobody is there.');
    expect(await site.terminate(leaving)).toBe(0);
    await working;
    await site.untilDone(DELAY_MS);
    await expectPaidOnce(site, invoices);
    const left = await site.database.query<{ id: number }>('select id from payment_retry.processes');
    expect(left.map(({ id }) => id)).not.toContain(leaving.number);
    const errors = site.processes.flatMap(({ output }) => output().match(/"level":50.*"msg":"[^"]*"/g) ?? []);
    expect(errors.filter((line) => !line.includes('PAUSED'))).toEqual([]);
  });

  /** The service takes its time with one request for subscriptions. */
  function holdDelivery() {
    let arrive = () => {};
    let release = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    site.service.answer = ({ kind }) => {
      if (kind !== 'subscriptions') return undefined;
      site.service.answer = () => undefined;
      arrive();
      return { status: 200, after };
    };
    return { arrived, release };
  }
});
