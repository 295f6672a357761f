/** A share of the orders; `SOAK_PART=orders npm run soak` plays others. */
import { onPostgres } from '../../support/database/databases.ts';
import { firstOf, IS_FULL_RUN, inFull } from '../../support/runner/full-run.ts';
import { playStory } from './play-story.ts';
import { STORIES } from './stories.ts';

const SEED = Number(process.env.PROPERTY_SEED ?? 1);
const SEEDS = Array.from({ length: IS_FULL_RUN ? 10 : 1 }, (_, index) => SEED + index);

onPostgres('on postgres', ({ createMigrated }) => {
  test.each(firstOf(3, STORIES))(
    '$name: in whichever order several processes go on, it comes to the same',
    async (story) => {
      for (const seed of SEEDS) {
        const { violations } = await playStory(story, seed, await createMigrated());
        const again = `SOAK_PART=orders ORDER_STORY=${story.name} SEED=${seed} npm run soak`;
        expect({ again, violations }).toEqual({ again, violations: [] });
      }
    },
  );

  inFull('the whole order of each story comes again from its seed', async () => {
    for (const story of STORIES) {
      const { hash } = await playStory(story, SEED, await createMigrated());
      expect(await playStory(story, SEED, await createMigrated())).toMatchObject({ hash });
    }
  });
});
