import type { Reason } from '../../../../src/plugin/reasons/reason.ts';
import { closeScheduledActions } from '../../../../src/plugin/store/tables/retry/planned-actions.ts';
import type { StubAnswer } from '../../../support/http/http-stub.ts';
import { buildCharge } from '../../../support/stripe/charge-objects.ts';
import { ACCOUNT, type Bench, declined, INVOICE, openBench, START } from '../payment/collection-fixture.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench.close());

const DISPUTE = { code: 'dispute_opened', disputeId: 'dp_1' } as const;
const DECLINED = { code: 'attempt_ended', outcome: 'declined', declineCode: 'insufficient_funds' };
const stopAll = (reason: Reason = DISPUTE) =>
  closeScheduledActions(
    bench.database,
    { account: ACCOUNT, invoiceIds: [INVOICE] },
    reason,
    bench.deps.clock.now(),
  );
const outcomes = async () => (await bench.attempts()).map(({ outcome }) => outcome);
const stateOf = async (id: string) => (await bench.action(id))?.state;
const dropped: StubAnswer = 'drop';
const failure = { status: 500, body: { error: { type: 'api_error', message: 'Try again.' } } };

describe('a stop while the action runs', () => {
  it('an action that is stopped before its attempt sends nothing and stays closed', async () => {
    bench.stripe.onRead = async () => void (await stopAll());
    const id = await bench.add();
    await bench.run(id);
    await bench.wait({ days: 2 });
    await bench.runDue();
    expect(bench.keys()).toEqual([]);
    expect(await bench.action(id)).toMatchObject({ state: 'closed', reason: DISPUTE });
  });

  it('an action that is stopped while a guard postpones it does not come back', async () => {
    bench.stripe.invoice = { next_payment_attempt: START.plus({ hours: 2 }).toUnixInteger() };
    bench.stripe.onRead = async () => void (await stopAll());
    const id = await bench.add();
    await bench.run(id);
    expect(await stateOf(id)).toBe('closed');
    expect(bench.jobs).toEqual([]);
  });

  it('an action that is stopped while its run fails does not come back', async () => {
    const id = await bench.add();
    bench.stripe.onRead = async () => {
      await stopAll();
      await bench.database.query(`alter table payment_retry.holds rename to holds_away`);
    };
    await expect(bench.run(id)).rejects.toThrow('holds');
    await bench.database.query(`alter table payment_retry.holds_away rename to holds`);
    expect(await stateOf(id)).toBe('closed');
  });

  it('an action that is stopped during its call records the outcome and ends with it', async () => {
    bench.stripe.pay = async () => {
      await stopAll();
      return declined;
    };
    const id = await bench.add();
    await bench.run(id);
    expect(await bench.action(id)).toMatchObject({ state: 'done', reason: DECLINED });
  });

  it('an action that is stopped during a call without an answer is settled by reading and not sent again', async () => {
    bench.stripe.pay = async () => {
      await stopAll();
      return dropped;
    };
    const id = await bench.add();
    await bench.run(id);
    const calls = bench.keys().length;
    expect(await stateOf(id)).toBe('scheduled');
    for (let look = 0; look < 4; look += 1) {
      await bench.wait({ minutes: 6 });
      await bench.runDue();
    }
    expect(bench.keys()).toHaveLength(calls);
    expect(await outcomes()).toEqual(['not_executed']);
    expect(await bench.action(id)).toMatchObject({
      state: 'closed',
      reason: DISPUTE,
    });
  });

  it('an action that is stopped between two calls does not make the second', async () => {
    bench.stripe.pay = () => failure;
    const id = await bench.add();
    await bench.run(id);
    expect(await stopAll()).toBe(0);
    bench.stripe.charges = [buildCharge({ created: START.toUnixInteger() + 1 })];
    await bench.wait({ minutes: 1 });
    await bench.runDue();
    expect(bench.keys()).toHaveLength(1);
    expect(await outcomes()).toEqual(['declined']);
    expect(await stateOf(id)).toBe('done');
  });
});

describe('two processes', () => {
  it('a run that is slower than its claim sends nothing once another process has taken over', async () => {
    const id = await bench.add();
    let isFirst = true;
    bench.stripe.pay = () => declined;
    bench.stripe.onRead = async () => {
      if (!isFirst) return;
      isFirst = false;
      await bench.wait({ minutes: 5 });
      await bench.run(id);
    };
    await bench.run(id);
    expect(bench.keys()).toHaveLength(1);
    expect(await outcomes()).toEqual(['declined']);
    expect(await bench.action(id)).toMatchObject({ state: 'done', reason: DECLINED });
  });

  it('a slow run with too little of its claim left waits for the next claim', async () => {
    const id = await bench.add();
    bench.stripe.onRead = async () => void (await bench.wait({ minutes: 4 }));
    await bench.run(id);
    expect(bench.keys()).toEqual([]);
    bench.stripe.onRead = () => {};
    await bench.wait({ seconds: 15 });
    await bench.runDue();
    expect(bench.keys()).toHaveLength(1);
    expect(await stateOf(id)).toBe('done');
  });

  it('a slow run does not free the action that another process is running', async () => {
    const id = await bench.add();
    let second: Promise<void> = Promise.resolve();
    let answerSecond = () => {};
    bench.stripe.pay = async () => {
      await bench.wait({ minutes: 6 });
      await new Promise<void>((isCalled) => {
        bench.stripe.pay = async () => {
          isCalled();
          await new Promise<void>((resolve) => {
            answerSecond = resolve;
          });
          return failure;
        };
        second = bench.run(id);
      });
      return failure;
    };
    await bench.run(id);
    expect(await stateOf(id)).toBe('running');
    answerSecond();
    await second;
    const [attempt] = await bench.attempts();
    expect([new Set(bench.keys()).size, attempt?.calls]).toEqual([1, 2]);
    expect(await bench.action(id)).toMatchObject({
      state: 'scheduled',
      dueAt: START.plus({ minutes: 8 }),
    });
  });

  it('the next run makes no second attempt where one died between the end of its attempt and its own', async () => {
    bench.stripe.pay = () => declined;
    const id = await bench.add();
    await bench.run(id);
    await bench.database.query(
      `update payment_retry.actions set state = 'running', reason = null, closed_at = null, claimed_until = $1`,
      [START.toISO()],
    );
    await bench.wait({ days: 2 });
    await bench.runDue();
    expect(bench.keys()).toHaveLength(1);
    expect(await bench.action(id)).toMatchObject({ state: 'done', reason: DECLINED });
  });
});
