/**
 * The longest suites start first, so that at the end of a run no core waits for one that began late. Jest knows how long
 * each took from the run before, which a clean checkout has not; there it goes by the size of the files.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

const TEST = fileURLToPath(new URL('..', import.meta.url));

/**
 * As measured, the longest first, with what makes them so; an entry that is missing or out of date costs seconds and no
 * more. The first ones mostly wait, so that others have the cores meanwhile.
 */
const LONGEST = [
  // Two dozen starts of a process, each killed at another moment.
  'scenarios/killed-process.test.ts',
  // Processes as a user starts them, in real time: heartbeats and grace have to pass before a dead one is given up.
  'scenarios/several-processes.test.ts',
  'scenarios/database-away.test.ts',
  'scenarios/asked-to-stop.test.ts',
  'jobs/workers.test.ts',
  // A week of faults, for two processes that are killed.
  'scenarios/chaos/chaos.test.ts',
  // Five weeks of a merchant on the embedded database, twice.
  'sandbox/demo/run-demo.test.ts',
  // The compiler reads every declaration that the package and its dependencies have.
  'package/types.test.ts',
  // One world, and a story for each thing that can happen in it.
  'scenarios/giving-up.test.ts',
  'scenarios/instructions.test.ts',
  'scenarios/stripe-trouble.test.ts',
  'scenarios/uncharged-attempts.test.ts',
  'scenarios/card-change.test.ts',
  // Every page of the console, in a browser.
  'operator/console/console-browser.test.ts',
  // Processes on the embedded database, which takes a second to open.
  'plugin/commands/operator-socket.test.ts',
  'scenarios/restored-backup.test.ts',
  'scenarios/failed-start.test.ts',
  'plugin/damaged-database.test.ts',
  'plugin/plugin.test.ts',
  'store/engine/embedded-database.test.ts',
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
