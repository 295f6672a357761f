import fc from 'fast-check';
import { findObservation } from '../../../../src/plugin/retry/invoice/observation.ts';
import { EVERYTHING, type RecoveryScope } from '../../../../src/plugin/settings/schema/limit-settings.ts';
import { buildPayable, PAYER } from '../../../support/database/stored-rows.ts';

const invoice = buildPayable({
  customerId: 'cus_1',
  customer: {
    ...PAYER,
    address: { country: 'AT', city: null, line1: null, line2: null, postal_code: null, state: null },
  },
  currency: 'eur',
  plans: ['price_1', 'prod_1', 'price_2'],
  metadata: [{ recovery: 'on' }, { team: 'a' }],
});
const observedBy = (scope: Partial<RecoveryScope>, mode: 'advisory' | 'observe' = 'advisory') =>
  findObservation({ mode, scope: { ...EVERYTHING, ...scope } }, 'own', invoice);

test.each<[Partial<RecoveryScope>, string | undefined]>([
  [{}, undefined],
  [{ plans: ['price_9', 'prod_1'] }, undefined],
  [{ plans: ['price_9'] }, 'RECOVER plan'],
  [{ countries: ['DE', 'AT'] }, undefined],
  [{ countries: ['DE'] }, 'RECOVER country'],
  [{ currencies: ['eur'] }, undefined],
  [{ currencies: ['usd'] }, 'RECOVER currency'],
  [{ metadata: [{ key: 'team', value: 'a' }] }, undefined],
  [{ metadata: [{ key: 'team', value: 'b' }] }, 'RECOVER metadata'],
  [{ percent: 0 }, 'RECOVER percent'],
  [{ currencies: ['eur'], countries: ['DE'] }, 'RECOVER country'],
])('%j: %s', (scope, setting) => {
  expect(observedBy(scope)).toBe(setting);
});

test('observe mode observes all', () => {
  expect(observedBy({}, 'observe')).toBe('RETRY_MODE');
});

test('a customer without an address is in no country', () => {
  const scope = { ...EVERYTHING, countries: ['DE'] };
  expect(
    findObservation(
      { mode: 'advisory', scope },
      'own',
      buildPayable({ customer: { ...PAYER, address: null } }),
    ),
  ).toBe('RECOVER country');
});

describe('a percentage', () => {
  const isIn = (percent: number, customerId: string, account = 'own') =>
    findObservation({ mode: 'advisory', scope: { ...EVERYTHING, percent } }, account, {
      ...invoice,
      customerId,
    }) === undefined;

  test('a percentage is about that share of the customers, and other customers for another account', () => {
    const customers = Array.from({ length: 4_000 }, (_, index) => `cus_${index}`);
    const chosen = customers.filter((id) => isIn(25, id));
    expect(chosen.length / customers.length).toBeCloseTo(0.25, 1);
    expect(chosen.filter((id) => isIn(25, id, 'acct_1')).length).toBeLessThan(chosen.length / 2);
  });

  test('a percentage keeps the customers that it has when it grows', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.integer({ min: 0, max: 100 }),
        fc.integer({ min: 0, max: 100 }),
        (id, a, b) => {
          expect(!isIn(Math.min(a, b), id) || isIn(Math.max(a, b), id)).toBe(true);
          expect(isIn(100, id)).toBe(true);
        },
      ),
    );
  });
});
