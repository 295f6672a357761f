/** More recipients of the emails to a customer, as docs/how-to/operations.md describes them. */
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { failingInvoice, instruct } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
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

const card = () => acceptsFirst(1, declines('stolen_card'));
const failing = (billing_emails?: string) =>
  failingInvoice(world, card(), billing_emails === undefined ? {} : { metadata: { billing_emails } });
const addresses = () => sent.map(({ to }) => to);
async function ask(invoiceId: string): Promise<void> {
  await instruct(world, invoiceId, 'CARD_CHANGE');
  await world.settle();
}
const emails = () =>
  world.query<{ recipient: string; copies: object }>('select recipient, copies from payment_retry.emails');

describe('by the metadata of the customer', () => {
  test('each address gets one email with a link of its own, and the series counts one', async () => {
    const { invoiceId } = await failing('ap@books.example, Boss@books.example,ada@example.com');
    await ask(invoiceId);
    expect(addresses()).toEqual(['ada@example.com', 'ap@books.example', 'boss@books.example']);
    expect(new Set(sent.map(({ link }) => link)).size).toBe(3);
    expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(3);
    for (const { link, subject } of sent) {
      expect((await fetch(link)).status).toBe(200);
      expect(subject).toContain('$20.00');
    }
    expect(await emails()).toEqual([
      { recipient: 'ada@example.com', copies: { 'ap@books.example': 'sent', 'boss@books.example': 'sent' } },
    ]);
  });

  test('an address whose server is away gets it later, and the others not again', async () => {
    failsFor = 'ap@books.example';
    const { invoiceId } = await failing('ap@books.example, boss@books.example');
    await ask(invoiceId);
    expect(addresses()).toEqual(['ada@example.com', 'boss@books.example']);
    failsFor = '';
    await world.advance({ minutes: 20 });
    expect(addresses()).toEqual(['ada@example.com', 'boss@books.example', 'ap@books.example']);
  });

  test('a refused address needs attention, and does not keep the email from the others', async () => {
    const { invoiceId } = await failing('refused@books.example, ap@books.example');
    await ask(invoiceId);
    await world.advance({ hours: 2 });
    expect(addresses()).toEqual(['ada@example.com', 'ap@books.example']);
    const lines = await world.query(`select 1 from payment_retry.audit where kind = 'email.undeliverable'`);
    expect(lines).toHaveLength(1);
  });

  test('forgetting the customer erases every address', async () => {
    const { invoiceId, customerId } = await failing('ap@books.example');
    await ask(invoiceId);
    await operate(world, 'forget', { customer: customerId });
    await world.settle();
    expect(await emails()).toEqual([{ recipient: '', copies: {} }]);
  });
});

describe('by a function of the application', () => {
  beforeAll(async () => {
    const listRecipients = ({ email }: { email: string | null }) => {
      if (email === 'broken@example.com') throw new Error('the CRM is away');
      return ['crm@books.example'];
    };
    await startOtherwise(world, settings, { sendEmail: send, listRecipients });
  });

  test('it names the addresses instead of the metadata', async () => {
    const { invoiceId } = await failing('ap@books.example');
    await ask(invoiceId);
    expect(addresses()).toEqual(['ada@example.com', 'crm@books.example']);
  });

  test('one that fails keeps no email from the customer', async () => {
    const { invoiceId } = await failingInvoice(world, card(), { email: 'broken@example.com' });
    await ask(invoiceId);
    expect(addresses()).toEqual(['broken@example.com']);
  });
});
