import { fromUnixSeconds } from '../../../src/core/base/clock.ts';
import { type Queryable, RESULTS } from '../../../src/core/database/database.ts';
import { mapRows } from '../../../src/core/database/rows.ts';

const fieldsOf = (...names: string[]) => names.map((name) => ({ name }));

test('a column of several words is read in camelCase', () => {
  const rows = [{ invoice_id: 'in_1', claimed_by_2: 3, state: 'done' }];
  expect(mapRows(rows, fieldsOf('invoice_id', 'claimed_by_2', 'state'))).toEqual([
    { invoiceId: 'in_1', claimedBy2: 3, state: 'done' },
  ]);
});

test('what a column holds keeps its own names', () => {
  const message = { plan_id: 'price_1' };
  expect(mapRows([{ the_message: message }], fieldsOf('the_message'))).toEqual([{ theMessage: message }]);
});

test('a time is read in UTC, and has the same JSON as before', () => {
  const at = new Date('2026-01-01T00:00:00Z');
  const rows = mapRows([{ at }], fieldsOf('at'));
  expect(rows).toEqual([{ at: fromUnixSeconds(at.getTime() / 1000) }]);
  expect(JSON.stringify(rows)).toBe('[{"at":"2026-01-01T00:00:00.000Z"}]');
});

const answering = (...rows: object[]): Queryable => ({
  ...RESULTS,
  query: async () => JSON.parse(JSON.stringify(rows)),
});

test('a statement gives its first row, a value, all values of its column, or how many rows there are', async () => {
  const [none, two, wide] = [answering(), answering({ name: 'a' }, { name: 'b' }), answering({ a: 1, b: 2 })];
  expect([await two.find(''), await none.find('')]).toEqual([{ name: 'a' }, undefined]);
  expect([await two.get(''), await two.getValue('')]).toEqual([{ name: 'a' }, 'a']);
  expect([await two.findValue(''), await answering({ at: null }).findValue('')]).toEqual(['a', undefined]);
  expect(await two.listValues('')).toEqual(['a', 'b']);
  expect([await two.count(''), await two.has(''), await none.has('')]).toEqual([2, true, false]);
  await expect(none.get('')).rejects.toThrow('No row');
  await expect(none.getValue('')).rejects.toThrow('No value');
  await expect(wide.listValues('')).rejects.toThrow('Not one column');
});
