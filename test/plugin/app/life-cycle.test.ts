import { DatabaseAwayError } from '../../../src/core/base/errors.ts';
import { createLifeCycle, type Part } from '../../../src/plugin/app/life-cycle.ts';

function recorded(names: readonly string[], failing: Readonly<Record<string, Error>> = {}) {
  const steps: string[] = [];
  const step = (what: string) => async () => {
    steps.push(what);
    const error = failing[what];
    if (error) throw error;
  };
  const parts: Part[] = names.map((name) => ({ start: step(`start ${name}`), stop: step(`stop ${name}`) }));
  return { steps, life: createLifeCycle(parts) };
}

test('parts start in order and stop in the reverse one', async () => {
  const { steps, life } = recorded(['a', 'b']);
  await life.start();
  await life.stop();
  expect(steps).toEqual(['start a', 'start b', 'stop b', 'stop a']);
});

test('a part that does not start stops all, and its own error is told', async () => {
  const why = new Error('no port');
  const { steps, life } = recorded(['a', 'b', 'c'], { 'start b': why, 'stop a': new Error('later') });
  await expect(life.start()).rejects.toBe(why);
  expect(steps).toEqual(['start a', 'start b', 'stop c', 'stop b', 'stop a']);
});

test('every part is stopped although another fails, which is told unless the database is away', async () => {
  const { steps, life } = recorded(['a', 'b', 'c'], {
    'stop c': new Error('stuck'),
    'stop b': new DatabaseAwayError(new Error('gone')),
  });
  await expect(life.stop()).rejects.toMatchObject({ errors: [{ message: 'stuck' }] });
  expect(steps).toEqual(['stop c', 'stop b', 'stop a']);
});
