/** A share of the crash points; `SOAK_PART=points npm run soak` plays every one of every story. */
import { onPostgres } from '../../support/database/databases.ts';
import { IS_FULL_RUN } from '../../support/runner/full-run.ts';
import { createDice } from '../chaos/dice.ts';
import { listPoints, nameOf, openTheatre, type Point, type Theatre } from './run-point.ts';
import { STORIES } from './stories.ts';

const SEED = Number(process.env.PROPERTY_SEED ?? 19);
/** Of each story, beside every change at Stripe. */
const SAMPLE = IS_FULL_RUN ? 10 : 2;
const TOLD = IS_FULL_RUN ? STORIES : STORIES.filter(({ name }) => name === 'failure-to-paid');
const { DATABASE_URL_TEST: server = '', MIGRATED_DATABASE: migrated = '' } = process.env;

onPostgres('on postgres', () => {
  let theatre: Theatre;
  beforeAll(() => {
    theatre = openTheatre(server, migrated);
  });
  afterAll(() => theatre?.close());

  test.each(TOLD)(
    '$name: whichever call is the last one, the next start leaves books that balance',
    async (story) => {
      const { violations, calls } = await theatre.play(story);
      expect(violations).toEqual([]);
      const points = listPoints(story, calls);
      expect(points.length).toBeGreaterThan(10);
      const dice = createDice(SEED);
      const payments = points.filter(({ last }) => last.to === 'stripe');
      const chosen = [...payments, ...Array.from({ length: SAMPLE }, () => dice.pick(points))];
      let reached = 0;
      for (const point of chosen) if (await expectBalance(theatre, point)) reached += 1;
      // Webhooks that arrive together share a statement, so another play makes one call more or less.
      expect(reached).toBeGreaterThan(0.8 * chosen.length);
    },
  );
});

/** Whether the play came to that call. */
async function expectBalance(theatre: Theatre, point: Point): Promise<boolean> {
  const { violations, hasCrashed } = await theatre.play(point.story, point.last);
  const again = `CRASH_POINT=${nameOf(point)} npm run soak`;
  expect({ again, violations }).toEqual({ again, violations: [] });
  return hasCrashed;
}
