/** Observe mode: everything but effects. What would have happened is written down. */
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
} from '../../src/sandbox/stripe/payment-behaviour.ts';
import { actionsOf, chargesOf, failingInvoice, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: { retryMode: 'observe' } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

function expectNoEffects(): void {
  expect(world.sandbox.state.apiCalls.filter(({ method }) => method !== 'GET')).toEqual([]);
  expect(world.mail.mails).toEqual([]);
}

test('a due retry is written down and not made', async () => {
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  await world.advance({ days: 3 });
  expect(await storyOf(world, invoiceId)).toEqual(
    expect.arrayContaining(['instruction.scheduled', 'observed.pay']),
  );
  expect((await actionsOf(world, invoiceId))[0]).toMatchObject({
    state: 'done',
    reason: { code: 'payment_observed' },
  });
  expect(chargesOf(world, invoiceId)).toEqual(['failed']);
  expectNoEffects();
});

test('a due mail is written down and not sent', async () => {
  const { invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('stolen_card')));
  await world.advance({ days: 2 });
  expect(await storyOf(world, invoiceId)).toContain('observed.email');
  expectNoEffects();
});

test('a new card is noticed and nothing is charged', async () => {
  const { invoiceId, customerId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
  await world.settle();
  expect(await storyOf(world, invoiceId)).toContain('observed.pay');
  expect(chargesOf(world, invoiceId)).toEqual(['failed']);
  expectNoEffects();
});
