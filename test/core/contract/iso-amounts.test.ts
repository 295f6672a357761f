import { toIsoAmounts } from '../../../src/core/contract/iso-amounts.ts';

test.each([
  ['ISK', 250_000, 2500],
  ['UGX', 1_500_050, 15_001],
  ['USD', 2000, 2000],
  ['JPY', 2000, 2000],
  ['KWD', 2000, 2000],
])('an amount in %s of %d goes out as %d', (currency, amount, sent) => {
  const record = { id: 'sub_1', amount, amountRemaining: amount, currency };
  expect(toIsoAmounts(record)).toEqual({ ...record, amount: sent, amountRemaining: sent });
});
