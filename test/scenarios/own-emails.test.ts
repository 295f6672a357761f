/** The application around sends the emails and has words of its own; once each, and never without the customer's way in. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutgoingMail } from '../../src/plugin/clients/mailer.ts';
import type { RenderEmail } from '../../src/plugin/mails/email-writer.ts';
import {
  acceptsFirst,
  declines,
  requiresAuthentication,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { actionsOf, failingInvoice, instruct } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';

const given: OutgoingMail[] = [];
let answers: (Error | { refused: string })[] = [];
let render: RenderEmail = () => undefined;

const folder = mkdtempSync(join(tmpdir(), 'own-emails-'));
writeFileSync(join(folder, 'confirm_payment.txt'), 'Subject: Confirm {amount}\n\n{link}');
writeFileSync(join(folder, 'confirm_payment.html'), '<a href="{link}">Confirm</a>');

let world: World;
beforeAll(async () => {
  world = await createWorld({
    isRemote: true,
    plugin: {
      smtpUrl: undefined,
      emailTemplates: folder,
      sendEmail: async (email) => {
        given.push(email);
        const answer = answers.shift();
        if (answer instanceof Error) throw answer;
        return answer;
      },
      renderEmail: (email, ours) => render(email, ours),
    },
  });
});
afterAll(() => world?.stop());
afterEach(async () => {
  given.length = 0;
  answers = [];
  render = () => undefined;
  await world.reset();
});

const lost = () => acceptsFirst(1, declines('lost_card'));
const askedForCard = async () => {
  const failing = await failingInvoice(world, lost());
  await instruct(world, failing.invoiceId, 'CARD_CHANGE');
  return failing;
};

test('the application’s own sender gets the email with the link and its own words, or those of its folder, once; one that it refuses waits for a person', async () => {
  const [{ invoiceId, customerId }, refused, confirming] = await failList(
    world,
    [
      { paymentMethod: lost(), mailbox: 'ada' },
      { paymentMethod: lost() },
      { paymentMethod: acceptsFirst(1, requiresAuthentication()) },
    ],
    'older',
  );
  render = ({ template, values }, ours) => ({
    subject: `${template} for ${values.name}`,
    text: `Hi!\n${ours.text}`,
  });
  await instruct(world, invoiceId, 'CARD_CHANGE');
  await world.advance({ days: 1 });
  expect(given).toMatchObject([
    {
      to: 'ada@example.com',
      from: '"Sandbox Inc." <billing@merchant.example>',
      subject: 'card_update for Ada Example',
      text: expect.stringMatching(/^Hi!\n(.*\n)*http:\/\/\S+\/card-update\/\S+/),
      html: expect.stringContaining('/card-update/'),
      headers: { 'Auto-Submitted': 'auto-generated' },
      about: { account: 'own', id: invoiceId, customer: customerId, template: 'card_update' },
    },
  ]);
  const link = /http:\/\/\S+\/card-update\/\S+/.exec(given[0]?.text ?? '')?.[0] ?? '';
  expect((await fetch(link)).status).toBe(200);
  expect(world.email.emails).toEqual([]);

  answers = [{ refused: 'on the list of bounces' }];
  await instruct(world, refused.invoiceId, 'CARD_CHANGE');
  expect(await actionsOf(world, refused.invoiceId)).toMatchObject([
    { state: 'closed', reason: { code: 'email_not_taken', answer: 'on the list of bounces' } },
  ]);

  given.length = 0;
  render = () => undefined;
  await instruct(world, confirming.invoiceId, 'CARD_CONFIRMATION');
  // From the folder of own ones: it leads to the invoice.
  expect(given).toMatchObject([
    { subject: 'Confirm $20.00', html: expect.stringMatching(/^<a href="http[^"]+">Confirm<\/a>$/) },
  ]);
});

test('an own sender that rejects gets the same email a quarter of an hour later, under the same Message-ID, in our words where the own ones throw; a person sends it again', async () => {
  answers = [new Error('the provider is busy')];
  render = () => {
    throw new Error('no template');
  };
  const { invoiceId } = await askedForCard();
  await world.advance({ minutes: 16 });
  expect(new Set(given.map(({ messageId }) => messageId)).size).toBe(1);
  const ours = { subject: expect.stringMatching(/^Update your card for /) };
  expect(given).toMatchObject([ours, ours]);
  await world.advance({ days: 1 });
  expect(given).toHaveLength(2);
  expect(await actionsOf(world, invoiceId)).toMatchObject([
    { state: 'done', reason: { code: 'email_sent' } },
  ]);
  const { outcome } = await operate(world, 'sendEmailAgain', { invoice: invoiceId });
  await world.settle();
  expect([outcome, given.length]).toEqual(['changed', 3]);
});

test('an email whose customer is forgotten while it is written is given to nobody', async () => {
  render = async ({ customer }) => {
    await operate(world, 'forget', { customer });
    return undefined;
  };
  await askedForCard();
  await world.advance({ days: 1 });
  expect(given).toEqual([]);
  expect(await world.query('select state, recipient, subject from payment_retry.emails')).toEqual([
    { state: 'given_up', recipient: '', subject: null },
  ]);
});
