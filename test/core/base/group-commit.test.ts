import fc from 'fast-check';
import { createGroupCommit } from '../../../src/core/base/group-commit.ts';
import { eventually } from '../../support/eventually.ts';
import { runs } from '../../support/runner/full-run.ts';

/** A write that ends only when told to, and remembers its groups. */
function controlledWrite() {
  const groups: number[][] = [];
  const ends: { commit: () => void; fail: (error: Error) => void }[] = [];
  const write = (items: number[]) =>
    new Promise<void>((resolve, reject) => {
      groups.push(items);
      ends.push({ commit: resolve, fail: reject });
    });
  const end = async (index: number, error?: Error) => {
    await settled();
    const ending = ends[index];
    if (!ending) throw new Error(`There is no write ${index}.`);
    if (error) ending.fail(error);
    else ending.commit();
    await settled();
  };
  return { write, groups, end };
}

/** Every promise that can settle now has settled, and the write that waits for a turn of the event loop has begun. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

function watch(promise: Promise<void>): () => string {
  let state = 'waiting';
  promise.then(
    () => {
      state = 'committed';
    },
    (error: Error) => {
      state = error.message;
    },
  );
  return () => state;
}

describe('group commit', () => {
  it('group commit writes what arrives together as one, and what gathers meanwhile as the next, in the order of arrival', async () => {
    const { write, groups, end } = controlledWrite();
    const commit = createGroupCommit(write);
    const states = [1, 2].map((item) => watch(commit(item)));
    await settled();
    states.push(...[3, 4, 5].map((item) => watch(commit(item))));
    await settled();
    expect(groups).toEqual([[1, 2]]);
    await end(0);
    expect(groups).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    await end(1);
    expect(states.map((state) => state())).toEqual(Array.from({ length: 5 }, () => 'committed'));
  });

  it('group commit answers nobody before the own item is committed', async () => {
    const { write, end } = controlledWrite();
    const commit = createGroupCommit(write, { maxItems: 1 });
    const states = [1, 2].map((item) => watch(commit(item)));
    await settled();
    expect(states.map((state) => state())).toEqual(['waiting', 'waiting']);
    await end(0);
    expect(states.map((state) => state())).toEqual(['committed', 'waiting']);
    await end(1);
    expect(states.map((state) => state())).toEqual(['committed', 'committed']);
  });

  it('group commit rejects the whole group of a failed write and no other', async () => {
    const { write, end } = controlledWrite();
    const commit = createGroupCommit(write, { maxItems: 2 });
    const states = [1, 2, 3, 4, 5].map((item) => watch(commit(item)));
    await settled();
    await end(0);
    await end(1, new Error('disk full'));
    await end(2);
    expect(states.map((state) => state())).toEqual([
      'committed',
      'committed',
      'disk full',
      'disk full',
      'committed',
    ]);
  });

  it('group commit writes on after a failure', async () => {
    const { write, groups, end } = controlledWrite();
    const commit = createGroupCommit(write);
    const first = watch(commit(1));
    await settled();
    await end(0, new Error('away'));
    expect(first()).toBe('away');
    const second = watch(commit(2));
    await settled();
    await end(1);
    expect(second()).toBe('committed');
    expect(groups).toEqual([[1], [2]]);
  });

  it('group commit writes every item once, in order, in groups within the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 3 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 7 }),
        async (pauses, max) => {
          const groups: number[][] = [];
          const commit = createGroupCommit<number>(
            async (items) => {
              groups.push(items);
              await settled();
            },
            { maxItems: max },
          );
          const done: Promise<void>[] = [];
          for (const [item, pause] of pauses.entries()) {
            done.push(commit(item));
            for (let turn = 0; turn < pause; turn += 1) await settled();
          }
          await Promise.all(done);
          expect(groups.flat()).toEqual([...pauses.keys()]);
          expect(groups.every((group) => group.length <= max)).toBe(true);
        },
      ),
      { numRuns: runs(50) },
    );
  });

  it('group commit makes a failed write again in halves where it may, until only the items at fault fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), async (faults) => {
        const written: number[] = [];
        const write = async (items: number[]) => {
          if (items.some((item) => faults[item])) throw new Error('at fault');
          written.push(...items);
        };
        const commit = createGroupCommit(write, { maxItems: faults.length, mayBeHalved: () => true });
        const results = await Promise.allSettled(faults.map((_, item) => commit(item)));
        expect(results.map(({ status }) => status === 'rejected')).toEqual(faults);
        expect(written).toEqual([...faults.keys()].filter((item) => !faults[item]));
      }),
      { numRuns: runs(50) },
    );
  });

  it('group commit writes the next group beside one that is held up, as many at once as it may', async () => {
    const { write, groups, end } = controlledWrite();
    const commit = createGroupCommit(write, { atOnce: 2 });
    const states = [watch(commit(1))];
    await eventually(() => expect(groups).toEqual([[1]]));
    states.push(watch(commit(2)));
    await eventually(() => expect(groups).toEqual([[1], [2]]));
    states.push(watch(commit(3)));
    await settled();
    expect(groups).toEqual([[1], [2]]);
    await end(1);
    await eventually(() => expect(groups).toEqual([[1], [2], [3]]));
    await end(2);
    expect(states.map((state) => state())).toEqual(['waiting', 'committed', 'committed']);
    await end(0);
    expect(states[0]?.()).toBe('committed');
  });
});
