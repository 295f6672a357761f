/** Small stories of the fault-injection scenario; `npm run soak` tells long ones. */
import { jest } from '@jest/globals';
import { EMBEDDED, POSTGRES } from '../../support/databases.ts';
import { runChaos } from './run-chaos.ts';

jest.setTimeout(300_000);

const STORIES = [
  ...[1].map((seed) => ({ engine: EMBEDDED, seed })),
  ...POSTGRES.flatMap((engine) => [2, 3].map((seed) => ({ engine, seed }))),
];
const STEPS = 4;

it.each(STORIES.map((story) => ({ ...story, on: story.engine.engine })))(
  'nothing is lost, doubled or mistaken: seed $seed on $on',
  async ({ engine, seed }) => {
    const { violations, figures } = await runChaos({ engine, seed, steps: STEPS });
    if (violations.length > 0) {
      const again = `SOAK_SEED=${seed} SOAK_STEPS=${STEPS} SOAK_ENGINE=${engine.engine} npm run soak`;
      throw new Error(`${violations.join('\n')}\n${JSON.stringify(figures)}\nOnce more: ${again}`);
    }
    expect(figures.charges).toBeGreaterThan(3);
    expect(figures.lostWebhooks).toBeGreaterThan(0);
  },
);
