import { mapRows } from '../../../src/store/engine/rows.ts';

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
