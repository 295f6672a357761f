/**
 * Stories of several processes in one loop, each in the orders that follow from SEEDS seeds (20), the first of which is SEED. ORDER_STORY
 * names one story.
 */
import { playStory } from '../../test/scenarios/interleavings/play-story.ts';
import { STORIES } from '../../test/scenarios/interleavings/stories.ts';
import { connectTestPostgres } from '../../test/support/database/postgres-server.ts';
import { prepareRun } from '../../test/support/runner/prepare-run.ts';

export async function runOrders(print: (line: string) => void): Promise<void> {
  const { variables, stop } = await prepareRun();
  const { DATABASE_URL_TEST: server, MIGRATED_DATABASE: migrated } = variables;
  if (!server || !migrated) throw new Error('Several processes need PostgreSQL: set DATABASE_URL_TEST.');
  const postgres = connectTestPostgres(server);
  const createPlace = async () => {
    const url = await postgres.createDatabase(migrated);
    return { location: { kind: 'postgres' as const, url }, remove: () => postgres.dropDatabase(url) };
  };
  const first = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const count = Number(process.env.SEEDS ?? (process.env.SEED === undefined ? 20 : 1));
  try {
    for (const story of STORIES.filter(({ name }) => (process.env.ORDER_STORY ?? name) === name)) {
      let calls = 0;
      for (let seed = first; seed < first + count; seed += 1) {
        const { violations, trace, hash } = await playStory(story, seed, await createPlace());
        calls += trace.length;
        if (violations.length === 0) continue;
        print(`SOAK_PART=orders ORDER_STORY=${story.name} SEED=${seed} npm run soak (order ${hash})`);
        for (const violation of violations) print(`  ${violation}`);
        process.exitCode = 1;
      }
      print(
        `${story.name}: ${count} orders of ${story.processes} processes from seed ${first}, ${calls} calls`,
      );
    }
  } finally {
    await stop();
  }
}
