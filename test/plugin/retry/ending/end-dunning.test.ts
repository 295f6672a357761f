import { endDunning } from '../../../../src/plugin/retry/ending/end-dunning.ts';
import { recordGivenUp } from '../../../../src/plugin/store/tables/retry/endings.ts';
import { ACCOUNT, type Bench, INVOICE, openBench } from '../payment/collection-fixture.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

test('a run whose action was stopped, or taken over, after it asked the rules ends no subscription', async () => {
  const { deps, database, stripe } = bench;
  stripe.invoice = { auto_advance: false };
  const key = { account: ACCOUNT, invoiceId: INVOICE };
  await recordGivenUp(database, key, { code: 'dunning_completed' }, deps.clock.now());
  const action = await bench.action(await bench.add({ kind: 'end_dunning' }));
  if (!action) throw new Error('The action was not stored.');
  const config = { ...deps.config, mode: 'exclusive', afterGivingUp: 'cancel' } as const;
  // It was never claimed. The stand-in for Stripe knows no cancellation: asked for one, it answers 404.
  expect(await endDunning({ ...deps, config }, action)).toMatchObject({
    guard: 'claim',
    reason: { code: 'claim_lost' },
  });
});
