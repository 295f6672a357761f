/** Lots that were drawn, and what their customers' cases came to. */
import { DateTime } from 'luxon';
import { refreshFailures } from '../../../../src/plugin/store/reports/money/refresh-failures.ts';
import { readStripeComparison } from '../../../../src/plugin/store/reports/stripe-comparison.ts';
import { type Arm, endLots, findArm, keepLot } from '../../../../src/plugin/store/tables/retry/lots.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { insertFailedInvoice } from '../../operator/console/failure-rows.ts';

const START = DateTime.fromISO('2026-03-01T10:00:00Z', { zone: 'utc' });
const day = (days: number) => START.plus({ days });
const failed = (id: string) => ({ account: 'own', customerId: `cus_${id}`, invoiceId: id });

let opened: TestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase(MAIN);
});
beforeEach(() => opened.clear());
afterAll(() => opened.close());

const draw = (id: string, arm: Arm, more: { at?: DateTime; percent?: number } = {}) =>
  keepLot(opened.database, {
    ...failed(id),
    arm,
    percent: 50,
    mode: 'exclusive',
    at: START,
    ...more,
  });

test('a lot stays what it is, and a comparison after the end of one draws anew', async () => {
  const { database } = opened;
  await draw('in_1', 'stripe');
  await draw('in_1', 'ours', { percent: 10, at: day(2) });
  expect(await findArm(database, failed('in_1'))).toBe('stripe');
  await endLots(database, day(3));
  await draw('in_1', 'ours', { percent: 10, at: day(4) });
  expect(await findArm(database, failed('in_1'))).toBe('ours');
});

test('an invoice that failed before the lot is finished as it was begun, and one after the end is nobody’s', async () => {
  const { database } = opened;
  await insertFailedInvoice(database, { id: 'in_old', at: day(-3) });
  await draw('in_old', 'stripe');
  expect(await findArm(database, failed('in_old'))).toBeUndefined();
  await insertFailedInvoice(database, { id: 'in_new', at: START });
  await draw('in_new', 'stripe', { at: START.plus({ minutes: 5 }) });
  expect(await findArm(database, failed('in_new'))).toBe('stripe');
  await insertFailedInvoice(database, { id: 'in_late', at: day(9) });
  await draw('in_late', 'stripe', { at: day(1) });
  await endLots(database, day(5));
  expect(await findArm(database, failed('in_late'))).toBeUndefined();
  expect(await findArm(database, failed('in_new'))).toBe('stripe');
});

test('every old case counts as it was drawn: paid within 35 days, in cases and in money', async () => {
  const { database } = opened;
  const invoices = [
    { id: 'in_a', arm: 'ours', paidAt: day(4), amount: 2000 },
    { id: 'in_b', arm: 'ours', amount: 500 },
    // Paid, but too late.
    { id: 'in_c', arm: 'stripe', paidAt: day(40), amount: 1000 },
    { id: 'in_d', arm: 'stripe', paidAt: day(34), amount: 3000 },
    // Too young, or drawn with another chance.
    { id: 'in_e', arm: 'ours', at: day(20), paidAt: day(21) },
    { id: 'in_f', arm: 'ours', percent: 10, drawn: day(-9), at: day(-9), paidAt: day(-8) },
  ] as const;
  for (const { arm, ...one } of invoices) {
    const { at = START } = one as { at?: DateTime };
    await insertFailedInvoice(database, { ...one, at });
    const { percent = 50 } = one as { percent?: number };
    await draw(one.id, arm, { at, percent });
  }
  while (await refreshFailures(database));
  const found = await readStripeComparison(database, day(50));
  expect(found).toMatchObject({ mode: 'exclusive', percent: 50, ours: 3, stripe: 2, endedAt: null });
  expect(found?.compared).toMatchObject([
    { currency: null, ours: { customers: 2, x: 2, y: 1, attempts: 3 }, stripe: { x: 2, y: 1 } },
    { currency: 'usd', ours: { x: 2500, y: 2000 }, stripe: { x: 4000, y: 3000, xx: 1e7, xy: 9e6 } },
  ]);
  expect(found?.compared.map(({ difference }) => difference)).toEqual([null, null]);
});

test('nothing is said before the first lot', async () => {
  expect(await readStripeComparison(opened.database, START)).toBeUndefined();
});
