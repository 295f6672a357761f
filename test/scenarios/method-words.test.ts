/** What a customer is asked to update is what the customer pays with. */
import {
  accepts,
  acceptsFirst,
  declines,
  pendingThen,
  walletAccount,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { instruct, renew, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { emailsTo, failTogether } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const plain = (text: string | undefined) => (text ?? '').replaceAll('\u00a0', ' ');
const pageOf = async (text: string) => {
  const link = /https?:\S+card-update\S+/.exec(text)?.[0] ?? '';
  return plain((await (await fetch(link)).text()).split('</style>').at(-1));
};

test('who pays with a debit or a wallet is not asked for a card', async () => {
  const methods = {
    sepa: {
      words: 'SEPA •••• 3000',
      method: pendingThen('fail', {
        type: 'sepa_debit',
        code: 'account_closed',
        last4: '3000',
        country: 'DE',
      }),
    },
    bacs: {
      words: '•••• 6789',
      method: pendingThen('fail', { type: 'bacs_debit', code: 'account_closed', country: 'GB' }),
    },
    paypal: { words: 'PayPal', method: walletAccount('paypal', 'payment_method_customer_decline') },
    link: { words: 'Link', method: walletAccount('link', 'payment_method_provider_decline') },
  };
  const names = ['sepa', 'bacs', 'paypal', 'link'] as const;
  const good = { sepa: accepts(), bacs: accepts(), paypal: accepts(), link: accepts() };
  const failed = await failTogether(world, good, {
    isOlder: true,
    between: async (subscriberOf) => {
      for (const name of names)
        world.sandbox.changeDefaultCard(subscriberOf(name).customerId, methods[name].method);
    },
  });
  await world.advance({ days: 6 });
  for (const name of names) await instruct(world, failed(name).invoiceId, 'CARD_CHANGE');
  for (const name of names) {
    const [email] = emailsTo(world, name);
    const [subject, text] = [plain(email?.subject), plain(email?.text)];
    expect([name, subject]).toEqual([name, 'Update your payment method for Sandbox Inc. ($20.00)']);
    expect(text).toContain(`Payment method: ${methods[name].words}\n`);
    for (const content of [subject, text, await pageOf(text)])
      expect(content).not.toMatch(/\bcards?\b(?!-)/i);
  }
});

test('emails and page wear the name of the account on whose behalf an invoice is collected', async () => {
  const seller = world.sandbox.connectAccount({ accountName: 'Seller GmbH' });
  const { customerId, subscriptionId } = await subscribe(world, acceptsFirst(2, declines('stolen_card')));
  const price = world.sandbox.createPrice({ unit_amount: 500 });
  const sold = world.sandbox.createSubscription({
    customer: customerId,
    items: [{ price: price.id }],
    on_behalf_of: seller.id,
  });
  await world.settle();
  const invoices = [await renew(world, sold.id), await renew(world, subscriptionId)];
  for (const invoice of invoices) await instruct(world, invoice, 'CARD_CHANGE');
  // Two sellers do not share an email.
  expect(world.email.emails.map(({ subject }) => plain(subject))).toEqual([
    'Update your card for Seller GmbH ($5.00)',
    'Update your card for Sandbox Inc. ($20.00)',
  ]);
  const page = await pageOf(plain(world.email.emails[0]?.text));
  expect(page).toContain('Seller GmbH');
  expect(page).not.toContain('Sandbox Inc.');
});
