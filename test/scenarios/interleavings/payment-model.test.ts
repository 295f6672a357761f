import { IS_FULL_RUN } from '../../support/runner/full-run.ts';
import { explore } from './explore.ts';
import { createPaymentModel, type Size } from './payment-model.ts';
import { FAULTS, type Fault } from './payment-state.ts';

const size = (processes: number, actions: number, crashes: number, losses: number, people: number): Size => ({
  processes,
  actions,
  crashes,
  losses,
  people,
});
/** The one with most states last: most faults are found before. */
const SMALL = [size(1, 1, 1, 1, 1), size(2, 1, 1, 0, 1), size(2, 2, 1, 0, 0)];
const LARGE = [size(3, 1, 2, 0, 0), size(2, 1, 1, 1, 1), size(3, 1, 2, 1, 0), size(2, 2, 1, 1, 1)];
const WHOLE = [...SMALL, ...(IS_FULL_RUN ? LARGE : [])];

test.each(WHOLE)(
  'in every order of $processes processes, $actions actions, $crashes crashes and $losses lost answers each action charges once and ends',
  (one) => {
    const { states, violation } = explore(createPaymentModel(one));
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(1_000);
  },
);

const faults = Object.entries(FAULTS) as [Fault, string][];

test.each(faults)('the search finds out that %s', (fault, what) => {
  const findsIt = (one: Size) => explore(createPaymentModel(one, fault)).violation?.what === what;
  expect(SMALL.find(findsIt)).toBeDefined();
});
