/** Small stories of the fault-injection scenario; `npm run soak` tells long ones. */
import { EMBEDDED, POSTGRES } from '../../support/database/databases.ts';
import { firstOf, IS_FULL_RUN } from '../../support/runner/full-run.ts';
import { runChaos } from './run-chaos.ts';

/** The embedded database is in `npm test` where there is no other: a kill on it is tried there by `killed-process`. */
const STORIES = [
  // One process is killed, two payments are asked for, one of them twice, and half of the deliveries fail: more, in less time, than of most seeds.
  ...POSTGRES.map((engine) => ({ engine, seed: 19, temper: 'busy' as const, steps: 2 })),
  ...POSTGRES.map((engine) => ({ engine, seed: 2, temper: 'busy' as const, steps: 4 })),
  ...POSTGRES.map((engine) => ({ engine, seed: 3, temper: 'greedy' as const, steps: 4 })),
  { engine: EMBEDDED, seed: 1, temper: 'busy' as const, steps: IS_FULL_RUN ? 4 : 1 },
];

it.each(firstOf(1, STORIES).map((story) => ({ ...story, on: story.engine.engine })))(
  'nothing is lost, doubled or mistaken: seed $seed, $temper, on $on',
  async ({ engine, seed, temper, steps }) => {
    const { violations, figures } = await runChaos({ engine, seed, steps, temper });
    if (violations.length > 0) {
      const again = `SOAK_SEED=${seed} SOAK_STEPS=${steps} SOAK_ENGINE=${engine.engine} SOAK_TEMPER=${temper} npm run soak`;
      throw new Error(`${violations.join('\n')}\n${JSON.stringify(figures)}\nOnce more: ${again}`);
    }
    expect(figures.charges).toBeGreaterThan(3);
    expect(figures.lostWebhooks).toBeGreaterThan(0);
    // Another order of calls gives another story: then a seed with a kill is to be found again.
    if (seed === 19) expect(figures.kills).toBeGreaterThan(0);
  },
);
