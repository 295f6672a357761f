/**
 * The longest suites start first, so that at the end of a run no core waits for one that began late. Jest knows how long
 * each took from the run before, which a clean checkout has not; there it goes by the size of the files.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

const TEST = fileURLToPath(new URL('../..', import.meta.url));

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
  'scenarios/racing-processes.test.ts',
  'scenarios/asked-to-stop.test.ts',
  'plugin/jobs/workers.test.ts',
  'scenarios/first-steps.test.ts',
  // Peers that answer slowly, each until it is given up.
  'plugin/clients/odd-answers.test.ts',
  'plugin/app/commands/backfill-command.test.ts',
  // The compiler reads every declaration that the package and its dependencies have.
  'package/types.test.ts',
  'scripts/build.test.ts',
  // Hosts, bundlers and test runners, each a process.
  'package/loads-everywhere.test.ts',
  // Embedded databases, each of which takes a second to open, some of them in processes.
  'workbench/rehearse/rehearse.test.ts',
  'cli/disconnect.test.ts',
  'scenarios/restored-backup.test.ts',
  'core/database/embedded-database.test.ts',
  'cli/move-database/export-import.test.ts',
  'plugin/app/commands/operator-socket.test.ts',
  'plugin/app/plugin.test.ts',
  'plugin/app/damaged-database.test.ts',
  'scenarios/failed-start.test.ts',
  'scenarios/shared-volume.test.ts',
  // Five weeks of a merchant on the embedded database.
  'workbench/demo/run-demo.test.ts',
  // A week of faults, for two processes that are killed.
  'scenarios/chaos/chaos.test.ts',
  'support/service-twin/check-plugin.test.ts',
  // A browser walks through every page.
  'plugin/operator/console/console-walk.test.ts',
  // One world, and a story for each thing that can happen in it.
  'scenarios/payer-campaign.test.ts',
  'scenarios/remote-times.test.ts',
  'scenarios/verify.test.ts',
  'scenarios/giving-up.test.ts',
  'scenarios/retry-signal.test.ts',
  'scenarios/stripe-trouble.test.ts',
  'scenarios/event-forms.test.ts',
  'scenarios/next-method.test.ts',
  'scenarios/stripe-retries.test.ts',
  'scenarios/card-change.test.ts',
  'scenarios/payer-order.test.ts',
  'scenarios/instructions.test.ts',
  'scenarios/forget.test.ts',
  'scenarios/interleavings/interleavings.test.ts',
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
