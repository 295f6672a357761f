import { QUEUES } from '../../../src/plugin/jobs/queues.ts';

const SCHEDULED = Object.entries(QUEUES)
  .filter(([, { cron }]) => cron !== undefined)
  .map(([name]) => name);

test('three queues are scheduled by time alone, one of them for each account', () => {
  expect(SCHEDULED).toEqual(['sweep', 'prune', 'each-account']);
});

test.each(['sweep', 'each-account', 'catch-up', 'sync-actions', 'reconcile'] as const)(
  '%s, asked for by time, is tried again when it died with its process, one at a time',
  (name) => {
    const { policy, retry } = QUEUES[name];
    expect(policy).toBe('exclusive');
    expect(retry.retryLimit).toBeGreaterThan(100);
  },
);
