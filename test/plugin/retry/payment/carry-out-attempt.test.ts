/** What comes between the decision to pay and the call of Stripe. */

import { listCardTries } from '../../../../src/plugin/retry/invoice/card-tries.ts';
import { methodFacts, readPayableInvoice } from '../../../../src/plugin/retry/invoice/payable-invoice.ts';
import { beginAttempt, createAttempt } from '../../../../src/plugin/retry/payment/carry-out-attempt.ts';
import { claimAction } from '../../../../src/plugin/store/tables/retry/actions.ts';
import { insertAttempt } from '../../../../src/plugin/store/tables/retry/attempts.ts';
import { buildInvoice } from '../../../support/stripe/stripe-objects.ts';
import { ACCOUNT, type Bench, openBench } from './collection-fixture.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

it('a payment has its turn before it counts among the charges of its minute', async () => {
  const { database } = bench;
  const now = bench.deps.clock.now();
  const action = await claimAction(database, await bench.add(), {
    now,
    until: now.plus({ minutes: 5 }),
    by: 1,
  });
  if (action?.kind !== 'pay') throw new Error('The payment was not claimed.');
  const counted: number[] = [];
  const awaitPaymentTurn = async () => {
    counted.push((await database.query('select from payment_retry.charge_minutes')).length);
  };
  const deps = { ...bench.deps, stripe: { ...bench.deps.stripe, awaitPaymentTurn } };
  const invoice = readPayableInvoice(buildInvoice());
  const method = methodFacts(bench.stripe.method);
  await beginAttempt(deps, action, { invoice, method, card: await listCardTries(deps, ACCOUNT, method) });
  expect(bench.keys()).toHaveLength(1);
  expect(counted).toEqual([0]);
  expect(await database.query('select charges from payment_retry.charge_minutes')).toEqual([{ charges: 1 }]);
  await bench.reset();
});

it('a payment that is held back because the card is in use does not count among the charges of its minute', async () => {
  const { deps, database } = bench;
  const now = deps.clock.now();
  const action = await claimAction(database, await bench.add(), {
    now,
    until: now.plus({ minutes: 5 }),
    by: 1,
  });
  if (action?.kind !== 'pay') throw new Error('The payment was not claimed.');
  const invoice = readPayableInvoice(buildInvoice());
  const method = methodFacts(bench.stripe.method);
  const card = await listCardTries(deps, ACCOUNT, method);
  const other = await createAttempt(deps, { ...action, invoiceId: 'in_other' }, { invoice, method });
  await insertAttempt(database, other);
  expect(await beginAttempt(deps, action, { invoice, method, card })).toMatchObject({
    guard: 'network_limits',
    reason: { code: 'card_in_use' },
  });
  expect(bench.keys()).toEqual([]);
  expect(await database.query('select charges from payment_retry.charge_minutes')).toEqual([]);
});
