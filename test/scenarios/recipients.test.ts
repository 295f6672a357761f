/** More recipients of the emails to a customer, as docs/how-to/operations.md describes them. */
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import type { NewCustomer } from '../../src/workbench/sandbox/sandbox-arrangements.ts';
import { operate } from '../support/operate.ts';
import { instruct, type Subscriber, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { withoutEffects } from './fail-together.ts';
import { startOtherwise } from './start-otherwise.ts';

let world: World;
let failsFor = '';
const sent: { to: string; link: string; messageId: string; subject: string }[] = [];
const send = async ({
  to,
  html,
  messageId,
  subject,
}: Record<'to' | 'html' | 'messageId' | 'subject', string>) => {
  if (to === failsFor) throw new Error('try later');
  if (to === 'refused@books.example') return { refused: 'no such mailbox' };
  const link = /href="([^"]*\/card-update\/[^"]*)"/.exec(html)?.[1] ?? '';
  sent.push({ to, link, messageId, subject });
  return undefined;
};
const settings: OwnOptions = { sendEmail: send };
beforeAll(async () => {
  world = await createWorld({ isRemote: true, plugin: settings });
});
afterAll(() => world?.stop());
beforeEach(() => {
  sent.length = 0;
  failsFor = '';
});
afterEach(() => world.reset());

/** Customers who differ in this, whose invoices fail together. */
async function failEach(customers: readonly NewCustomer[]) {
  const quiet = withoutEffects(world);
  const begun: Subscriber[] = [];
  for (const customer of customers)
    begun.push(await subscribe(quiet, acceptsFirst(1, declines('stolen_card')), customer));
  await world.settle();
  const failed = begun.map((one) => ({
    ...one,
    invoiceId: world.sandbox.renewNow(one.subscriptionId).id,
  }));
  await world.settle();
  return failed;
}
const withEmails = (billing_emails: string, name = 'ada'): NewCustomer => ({
  email: `${name}@example.com`,
  metadata: { billing_emails },
});
const addresses = () => sent.map(({ to }) => to);
async function ask(invoiceId = ''): Promise<void> {
  sent.length = 0;
  await instruct(world, invoiceId, 'CARD_CHANGE');
}
const emails = (invoiceId = '') =>
  world.query<{ recipient: string; copies: object }>(
    'select recipient, copies from payment_retry.emails where invoice_id = $1',
    [invoiceId],
  );

test('each address in the metadata gets one email with a link of its own, and the series counts one; one whose server is away gets it later, a refused one needs attention, and whoever is forgotten has none', async () => {
  const [three, away, refused, forgotten] = await failEach([
    withEmails('ap@books.example, Boss@books.example,ada@example.com'),
    withEmails('ap@books.example, boss@books.example', 'bob'),
    withEmails('refused@books.example, ap@books.example', 'cleo'),
    withEmails('ap@books.example', 'dan'),
  ]);
  await ask(three?.invoiceId);
  expect(addresses()).toEqual(['ada@example.com', 'ap@books.example', 'boss@books.example']);
  expect(new Set(sent.map(({ link }) => link)).size).toBe(3);
  expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(3);
  for (const { link, subject } of sent) {
    expect((await fetch(link)).status).toBe(200);
    expect(subject).toContain('$20.00');
  }
  expect(await emails(three?.invoiceId)).toEqual([
    { recipient: 'ada@example.com', copies: { 'ap@books.example': 'sent', 'boss@books.example': 'sent' } },
  ]);

  failsFor = 'ap@books.example';
  await ask(away?.invoiceId);
  expect(addresses()).toEqual(['bob@example.com', 'boss@books.example']);
  failsFor = '';
  await world.advance({ minutes: 20 });
  expect(addresses()).toEqual(['bob@example.com', 'boss@books.example', 'ap@books.example']);

  await ask(refused?.invoiceId);
  await world.advance({ hours: 2 });
  expect(addresses()).toEqual(['cleo@example.com', 'ap@books.example']);
  const lines = await world.query(`select 1 from payment_retry.audit where kind = 'email.undeliverable'`);
  expect(lines).toHaveLength(1);

  await ask(forgotten?.invoiceId);
  await operate(world, 'forget', { customer: forgotten?.customerId });
  await world.settle();
  expect(await emails(forgotten?.invoiceId)).toEqual([{ recipient: '', copies: {} }]);
});

test('a function of the application names the addresses instead of the metadata, and keeps no email from the customer where it fails', async () => {
  const listRecipients = ({ email }: { email: string | null }) => {
    if (email === 'broken@example.com') throw new Error('the CRM is away');
    return ['crm@books.example'];
  };
  await startOtherwise(world, settings, { sendEmail: send, listRecipients });
  const [named, broken] = await failEach([withEmails('ap@books.example'), { email: 'broken@example.com' }]);
  await ask(named?.invoiceId);
  expect(addresses()).toEqual(['ada@example.com', 'crm@books.example']);
  await ask(broken?.invoiceId);
  expect(addresses()).toEqual(['broken@example.com']);
});
