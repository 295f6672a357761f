import { DateTime } from 'luxon';
import { CAST } from '../../../src/workbench/customers/cast.ts';
import { playStaticSchedule } from '../../../src/workbench/customers/retries-alone.ts';

const START = DateTime.fromISO('2026-03-02T00:00:00Z', { zone: 'utc' });
const play = (name: string) => {
  const cast = CAST.filter((member) => member.name === name);
  return playStaticSchedule(cast, START, START.plus({ days: 20 }));
};

test.each([
  ['Ben Carter', true, 'has money again before the third retry'],
  ['Anna Keller', false, 'has money again after the last'],
  ['Kate Moore', false, 'reads no mail and has a lost card'],
  ['Bella Novak', true, 'has a debit come back once'],
  ['Tom Fischer', true, 'sends the money by bank transfer all the same'],
  ['Wanda Nowak', false, 'has the invoice voided'],
])('a static schedule and %s: recovered is %s for whoever %s', async (name, isRecovered) => {
  expect(await play(name)).toMatchObject([{ isRecovered }]);
});
