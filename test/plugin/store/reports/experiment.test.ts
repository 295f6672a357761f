/** Customers who were drawn, and what their cases came to. */
import { DateTime } from 'luxon';
import { toIso } from '../../../../src/core/base/clock.ts';
import { readExperiment } from '../../../../src/plugin/store/reports/experiment.ts';
import { keepRecoveryCases } from '../../../../src/plugin/store/reports/kept-cases.ts';
import { refreshFailures } from '../../../../src/plugin/store/reports/money/refresh-failures.ts';
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
  await draw('in_1', 'control');
  await draw('in_1', 'ours', { percent: 10, at: day(2) });
  expect(await findArm(database, failed('in_1'))).toBe('control');
  await endLots(database, day(3));
  await draw('in_1', 'ours', { percent: 10, at: day(4) });
  expect(await findArm(database, failed('in_1'))).toBe('ours');
});

test('an invoice that failed before the lot is finished as it was begun, and one after the end is nobody’s', async () => {
  const { database } = opened;
  await insertFailedInvoice(database, { id: 'in_old', at: day(-3) });
  await draw('in_old', 'control');
  expect(await findArm(database, failed('in_old'))).toBeUndefined();
  await insertFailedInvoice(database, { id: 'in_new', at: START });
  await draw('in_new', 'control', { at: START.plus({ minutes: 5 }) });
  expect(await findArm(database, failed('in_new'))).toBe('control');
  await insertFailedInvoice(database, { id: 'in_late', at: day(9) });
  await draw('in_late', 'control', { at: day(1) });
  await endLots(database, day(5));
  expect(await findArm(database, failed('in_late'))).toBeUndefined();
  expect(await findArm(database, failed('in_new'))).toBe('control');
});

test('every old case counts as it was drawn: paid within 35 days, in cases and in money', async () => {
  const { database } = opened;
  const invoices = [
    { id: 'in_a', arm: 'ours', paidAt: day(4), amount: 2000 },
    { id: 'in_b', arm: 'ours', amount: 500 },
    // Paid, but too late.
    { id: 'in_c', arm: 'control', paidAt: day(40), amount: 1000 },
    { id: 'in_d', arm: 'control', paidAt: day(34), amount: 3000 },
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
  const found = await readExperiment(database, day(50));
  expect(found).toMatchObject({
    against: 'stripe',
    mode: 'exclusive',
    percent: 50,
    ours: 3,
    control: 2,
    endedAt: null,
  });
  expect(found?.compared).toMatchObject([
    { currency: null, ours: { customers: 2, x: 2, y: 1, attempts: 3 }, control: { x: 2, y: 1 } },
    { currency: 'usd', ours: { x: 2500, y: 2000 }, control: { x: 4000, y: 3000, xx: 1e7, xy: 9e6 } },
  ]);
  expect(found?.compared.map(({ difference }) => difference)).toEqual([null, null]);
});

test('against a schedule the service says who is in the control group', async () => {
  const { database } = opened;
  const word = {
    state: 'open' as const,
    reason: 'x',
    reasons: [] as string[],
    openedAt: toIso(START),
    updatedAt: toIso(START),
  };
  for (const [index, id] of ['in_a', 'in_b', 'in_c'].entries()) {
    await insertFailedInvoice(database, { id, at: START, ...(id === 'in_a' ? { paidAt: day(4) } : {}) });
    const isOnStaticSchedule = id === 'in_b';
    const drawn = id === 'in_c' ? {} : { drawnPercent: 10 };
    await keepRecoveryCases(database, 'own', [
      { ...word, ...drawn, invoiceId: id, revision: index + 1, isOnStaticSchedule },
    ]);
  }
  while (await refreshFailures(database));
  expect(await readExperiment(database, day(50))).toMatchObject({
    ...{ against: 'schedule', mode: null, percent: 10, ours: 1, control: 1, endedAt: null },
    compared: [
      { currency: null, ours: { customers: 1, y: 1 }, control: { customers: 1, y: 0 } },
      { currency: 'usd' },
    ],
  });
});

test('nothing is said before the first lot', async () => {
  expect(await readExperiment(opened.database, START)).toBeUndefined();
});
