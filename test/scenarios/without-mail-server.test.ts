/** No SMTP server is configured: what should have been emailed is shown as undeliverable, never dropped. */
import {
  acceptsFirst,
  declines,
  requiresAuthentication,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { actionsOf, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: { smtpUrl: undefined, emailFrom: undefined, linkSecret: undefined } });
});
afterAll(() => world?.stop());

test('a request for a card and one to confirm are recorded as undeliverable', async () => {
  const payers = await failList(
    world,
    [
      { kind: 'card_update_email', paymentMethod: acceptsFirst(1, declines('stolen_card')) },
      { kind: 'confirm_payment_email', paymentMethod: acceptsFirst(1, requiresAuthentication()) },
    ],
    'older',
  );
  await world.advance({ days: 1 });
  for (const { kind, invoiceId } of payers) {
    expect(await actionsOf(world, invoiceId)).toMatchObject([
      { kind, state: 'closed', reason: { code: 'no_mail_server' } },
    ]);
    expect(await storyOf(world, invoiceId)).toContain('email.undeliverable');
  }
});
