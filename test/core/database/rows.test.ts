import { fromUnixSeconds } from '../../../src/core/base/clock.ts';
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
