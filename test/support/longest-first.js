/**
 * The longest suites start first, so that at the end of a run no core waits for one that began late. Jest knows how long
 * each took from the run before, which a clean checkout has not; there it goes by the size of the files.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

const TEST = fileURLToPath(new URL('..', import.meta.url));

/** Those of half a minute and more, as measured; an entry that is missing or out of date costs seconds and no more. */
const LONGEST = [
  'scenarios/killed-process.test.ts',
  'scenarios/chaos/chaos.test.ts',
  'scenarios/several-processes.test.ts',
  'sync/catch-up/catch-up.test.ts',
  'scenarios/stripe-trouble.test.ts',
  'scenarios/invoice-holds.test.ts',
  'sandbox/demo/run-demo.test.ts',
  'scenarios/invoice-recovery.test.ts',
  'scenarios/instructions.test.ts',
  'scenarios/stripe-retries.test.ts',
  'scenarios/accounts-apart.test.ts',
  'scenarios/customer-action.test.ts',
  'scenarios/card-change.test.ts',
  'scenarios/service-trouble.test.ts',
  'scenarios/subscription-life.test.ts',
  'scenarios/racing-processes.test.ts',
];

export default class LongestFirst extends Sequencer {
  async sort(tests) {
    const rank = ({ path }) => {
      const place = LONGEST.indexOf(relative(TEST, path));
      return place === -1 ? LONGEST.length : place;
    };
    return [...(await super.sort(tests))].sort((one, other) => rank(one) - rank(other));
  }
}
