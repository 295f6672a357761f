/** Which of two instructions for an invoice is newer, when one came by callback and the other is listed. */
import type { DateTime } from 'luxon';
import { placeIssue } from '../../../../src/plugin/retry/instructions/apply-listed.ts';
import { OWN_ACCOUNT } from '../../../../src/plugin/settings/account.ts';
import { hasNewerInstruction } from '../../../../src/plugin/store/tables/retry/instructions.ts';
import { ENGINES } from '../../../support/database/databases.ts';
import { createListingBench, instructionRecord, type ListingBench, START } from './listing-fixture.ts';

const at = (minutes: number) => START.plus({ minutes });

describe('the place of a listed instruction', () => {
  it.each([
    ['is its own time', 0, 10, {}, 0],
    ['is never later than now, if the service’s clock is ahead', 60, 10, {}, 10],
    ['is behind one created before, if the service’s clock is behind', 0, 10, { after: 5 }, 5],
    [
      'is in front of one created later, if the service’s clock is ahead',
      8,
      10,
      { before: 5 },
      5 - 1 / 60_000,
    ],
    ['stays between the two', 3, 10, { after: 2, before: 5 }, 3],
    ['is in front, where arrivals contradict creation', 3, 10, { after: 7, before: 5 }, 5 - 1 / 60_000],
  ])(
    'the place of a listed instruction %s',
    (_rule, created, seen, { after, before }: { after?: number; before?: number }, expected) => {
      const placed = placeIssue(at(created), at(seen), {
        after: after === undefined ? null : at(after),
        before: before === undefined ? null : at(before),
      });
      expect(placed.toMillis()).toBe(Math.round(START.toMillis() + expected * 60_000));
    },
  );
});

describe.each(ENGINES)('on $engine', (engine) => {
  let bench: ListingBench;
  beforeAll(async () => {
    bench = await createListingBench(engine);
  });
  afterAll(() => bench?.stop());
  afterEach(() => bench.reset());

  const order = async () => (await bench.instructions()).map(({ id }) => id);
  const listed = (requestId: string, createdAt: DateTime) =>
    instructionRecord(requestId, createdAt, { invoiceId: 'in_1' });

  it.each([-120, 0, 120])(
    'lost instructions take their places among callbacks, with the service’s clock %d minutes from ours',
    async (skew) => {
      const service = (minutes: number) => at(minutes + skew);
      await bench.pass({ minutes: 10 });
      await bench.callBack('at_10', 'in_1');
      await bench.pass({ minutes: 10 });
      await bench.callBack('at_20', 'in_1');
      await bench.pass({ minutes: 10 });
      for (const minutes of [5, 10, 15, 20, 25])
        bench.service.records.push(listed(`at_${String(minutes).padStart(2, '0')}`, service(minutes)));
      expect(await bench.run()).toMatchObject({ applied: 3, known: 2 });
      await bench.callBack('at_30', 'in_1');
      expect(await order()).toEqual(['at_05', 'at_10', 'at_15', 'at_20', 'at_25', 'at_30']);
    },
  );

  it('a listed instruction created before one in force does not replace it; one created after does', async () => {
    await bench.pass({ minutes: 10 });
    await bench.callBack('asked', 'in_1');
    const { database } = bench.store;
    await database.query(`update payment_retry.instructions set state = 'scheduled'`);
    bench.service.records.push(listed('before', at(5)), listed('asked', at(10)), listed('after', at(15)));
    await bench.pass({ minutes: 10 });
    await bench.run();
    expect(await hasNewerInstruction(database, OWN_ACCOUNT, 'before')).toBe(true);
    expect(await hasNewerInstruction(database, OWN_ACCOUNT, 'after')).toBe(false);
  });

  it('listed instructions created at the same instant keep one order', async () => {
    bench.service.records.push(listed('a', at(0)), listed('b', at(0)), listed('c', at(0)));
    await bench.run();
    const first = await order();
    await bench.run();
    expect([...first].sort()).toEqual(['a', 'b', 'c']);
    expect(await order()).toEqual(first);
  });

  if (engine.engine === 'postgres')
    it('callback and listing at the same moment make one instruction with one job', async () => {
      const names = Array.from({ length: 20 }, (_, index) => `req_${index}`);
      for (const name of names)
        bench.service.records.push(instructionRecord(name, START, { invoiceId: 'in_1' }));
      await Promise.all([bench.run(), bench.run(), ...names.map((name) => bench.callBack(name, 'in_1'))]);
      expect((await bench.instructions()).map(({ id }) => id).sort()).toEqual([...names].sort());
      expect([...bench.jobs].sort()).toEqual([...names].sort());
    });
});
