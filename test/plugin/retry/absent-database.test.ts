/** The database goes away at each statement of a payment in turn: before it is done, and before its answer arrives. */
import { DatabaseAwayError } from '../../../src/core/base/errors.ts';
import type { Database } from '../../../src/core/database/database.ts';
import { createExecutor } from '../../../src/plugin/retry/run/execute.ts';
import { type Bench, declined, openBench } from './payment/collection-fixture.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

const READS = /^\s*select\b/i;
/** Or locks, or calls a function of ours. */
const WRITES = /\b(insert|update|delete|share|lock\w*|pg_\w+|nextval|setval|set_config)\b|\w\.\w+\(/i;

/** Away once, at its statement number `at`; a commit counts as one. `passed` tells whether there were so many. */
function goesAway(
  database: Database,
  at: number,
  isDone: boolean,
): { database: Database; passed(): boolean; wasRead(): boolean } {
  let count = 0;
  let wasRead = false;
  const isNow = () => {
    count += 1;
    return count === at;
  };
  const away = () => new DatabaseAwayError(new Error('gone'));
  const step = async <T>(text: string, work: () => Promise<T>): Promise<T> => {
    if (!isNow()) return work();
    wasRead = READS.test(text) && !WRITES.test(text);
    if (isDone) await work();
    throw away();
  };
  const transaction: Database['transaction'] = async (work) => {
    let isAnswerLost = false;
    const result = await database.transaction(async (tx) => {
      const value = await work({
        ...tx,
        query: (text, params) => step(text, () => tx.query<never>(text, params)),
      });
      isAnswerLost = isNow();
      if (isAnswerLost && !isDone) throw away();
      return value;
    });
    if (isAnswerLost) throw away();
    return result;
  };
  return {
    database: {
      ...database,
      query: (text, params) => step(text, () => database.query<never>(text, params)),
      transaction,
    },
    passed: () => count >= at,
    wasRead: () => wasRead,
  };
}

/** A read that was done and not answered leaves behind what one does that was not done. */
const reads = new Set<number>();

it.each([
  ['is not done', false],
  ['is done and not answered', true],
])('a payment whose every statement in turn %s is made once, at once', async (_what, isDone) => {
  const MANY = 100;
  let at = 1;
  for (; at < MANY; at += 1) {
    if (isDone && reads.has(at)) continue;
    await bench.reset();
    bench.stripe.pay = () => declined;
    const { database, passed, wasRead } = goesAway(bench.database, at, isDone);
    const { handle } = createExecutor({ ...bench.deps, database });
    const actionId = await bench.add();
    // As the worker does.
    await handle({ actionId }).catch((error) => {
      if (!(error instanceof DatabaseAwayError)) throw error;
      return handle({ actionId });
    });
    const attempts = await bench.attempts();
    const seen = { at, state: (await bench.action(actionId))?.state, keys: new Set(bench.keys()).size };
    expect({ ...seen, outcomes: attempts.map(({ outcome }) => outcome) }).toEqual({
      at,
      state: 'done',
      keys: 1,
      outcomes: ['declined'],
    });
    if (!passed()) break;
    if (wasRead()) reads.add(at);
  }
  expect(at).toBeGreaterThan(10);
  expect(at).toBeLessThan(MANY);
});
