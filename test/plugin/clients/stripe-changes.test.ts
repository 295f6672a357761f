import { systemClock } from '../../../src/core/base/clock.ts';
import { createStripeChanges } from '../../../src/plugin/clients/stripe-changes.ts';
import { openSdk } from '../../../src/plugin/clients/stripe-client.ts';
import { startHttpStub } from '../../support/http/http-stub.ts';

test('every change at Stripe asks just before it whether effects are paused, and is not made if they are', async () => {
  const stripe = await startHttpStub(() => ({ status: 200, body: {} }));
  const asked: string[] = [];
  const changes: Record<string, (...args: never[]) => Promise<unknown>> = createStripeChanges(
    openSdk({ secretKey: 'sk_test_1', apiBase: stripe.url }),
    () => ({}),
    async (account) => {
      asked.push(account);
      throw new Error('paused');
    },
  );
  const ofSession = {
    account: 'acct_1',
    customerId: 'cus_1',
    returnUrl: 'https://merchant.example',
    recoverableUntil: systemClock.now(),
  };
  try {
    for (const [name, change] of Object.entries(changes)) {
      const args = name === 'createPortalSession' ? [ofSession] : ['acct_1', 'in_1', 'key'];
      await expect(Reflect.apply(change, undefined, args)).rejects.toThrow('paused');
    }
    expect(asked).toEqual(Object.keys(changes).map(() => 'acct_1'));
    expect(stripe.requests).toEqual([]);
  } finally {
    await stripe.stop();
  }
});
