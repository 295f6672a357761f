import { QUEUES } from '../../src/jobs/queues.ts';

/** A process that is killed fails the jobs it was at: those that come by themselves must not fill the dead letters. */
test('scheduled work that died with its process is tried again, one at a time', () => {
  const scheduled = Object.entries(QUEUES).filter(([, { cron }]) => cron !== undefined);
  expect(scheduled.map(([name]) => name)).toEqual(['sweep', 'catch-up']);
  for (const [, { policy, retry }] of scheduled) {
    expect(policy).toBe('exclusive');
    expect(retry.retryLimit).toBeGreaterThan(100);
  }
});
