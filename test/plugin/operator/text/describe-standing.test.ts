import { DateTime } from 'luxon';
import { describeStanding } from '../../../../src/plugin/operator/text/describe-standing.ts';

// A Wednesday, late in the evening in Tokyo.
const NOW = DateTime.fromISO('2026-03-04T23:00:00', { zone: 'Asia/Tokyo' });

test.each([
  ['pay', { minutes: 30 }, 'Retry today'],
  ['pay', { hours: 2 }, 'Retry tomorrow'],
  ['pay', { days: 6 }, 'Retry on Tuesday'],
  ['pay', { days: 7 }, 'Retry on 11 Mar'],
  ['pay', { days: -1 }, 'Retry today'],
  ['card_update_email', { days: 1 }, 'Retry on Friday'],
])('of %s due in %j the chip says: %s', (nextKind, after, words) => {
  const stripeAt = NOW.plus({ days: 2 });
  const stands = { standing: 'retry', nextKind, nextAt: NOW.plus(after), stripeAt } as const;
  expect(describeStanding(stands, NOW)).toBe(words);
});

test('whoever was asked, and nothing else is planned, is said so', () => {
  const stands = {
    standing: 'asked',
    nextKind: 'card_update_email',
    nextAt: NOW,
    stripeAt: null,
  } as const;
  expect(describeStanding(stands, NOW)).toBe('Waiting for customer');
});
