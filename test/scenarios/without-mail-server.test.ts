/** No SMTP server is configured: what should have been emailed is shown as undeliverable, never dropped. */
import {
  acceptsFirst,
  declines,
  requiresAuthentication,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { actionsOf, failingInvoice, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: { smtpUrl: undefined, emailFrom: undefined, linkSecret: undefined } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

test.each([
  ['card_update_email', acceptsFirst(1, declines('stolen_card'))],
  ['confirm_payment_email', acceptsFirst(1, requiresAuthentication())],
])('%s is recorded as undeliverable', async (kind, card) => {
  const { invoiceId } = await failingInvoice(world, card);
  await world.advance({ days: 1 });
  expect(await actionsOf(world, invoiceId)).toMatchObject([
    { kind, state: 'closed', reason: { code: 'no_mail_server' } },
  ]);
  expect(await storyOf(world, invoiceId)).toContain('email.undeliverable');
});
