import { DatabaseAwayError } from '../../../src/core/base/errors.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { RESULTS } from '../../../src/core/database/database.ts';
import { createTending } from '../../../src/core/jobs/jobs.ts';

test('jobs are taken from no worker at the first look after an outage, which let no heartbeat through', async () => {
  let isAway = false;
  let supervised = 0;
  const look = createTending({
    boss: {
      supervise: async () => {
        supervised += 1;
      },
    },
    database: {
      ...RESULTS,
      query: async () => {
        if (isAway) throw new DatabaseAwayError(new Error('gone'));
        return JSON.parse('[{ "isAhead": false, "isRunning": true }]');
      },
    },
    schema: 'jobs',
    logger: silentLogger,
  });
  await look();
  await look();
  expect(supervised).toBe(2);
  isAway = true;
  await look();
  isAway = false;
  await look();
  expect(supervised).toBe(2);
  await look();
  expect(supervised).toBe(3);
});
