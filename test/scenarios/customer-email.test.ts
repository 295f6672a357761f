/** What a customer finds in the mailbox, over real SMTP, and what the merchant learns when nothing arrives. */

import { reportInvoice, reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import { createLinkToken } from '../../src/plugin/retry/mail/card-update-link.ts';
import {
  acceptsFirst,
  declines,
  requiresAuthentication,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import { actionsOf, failingInvoice, instruct, payCalls } from '../support/scenario.ts';
import { createWorld, LINK_SECRET, type World } from '../support/world.ts';
import { type ByName, emailsTo, failTogether } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  const plugin = { emailLogoUrl: 'https://cdn.example/logo.png', emailLanguage: 'fr' };
  world = await createWorld({ isRemote: true, plugin });
});
afterAll(() => world?.stop());
afterEach(() => {
  world.email.refusals.length = 0;
});

const lost = (last4 = '4242') => acceptsFirst(1, declines('lost_card', {}, { last4 }));
const status = () => reportStatus(world.plugin.parts.database, {}, world.clock.now());

describe('other customers', () => {
  afterEach(() => world.reset());

  inFull('a customer whose language we do not have reads the merchant’s', async () => {
    const { invoiceId } = await failingInvoice(world, acceptsFirst(1, requiresAuthentication()), {
      locale: 'zh',
    });
    await instruct(world, invoiceId, 'CARD_CONFIRMATION');
    expect(world.email.emails).toMatchObject([
      { subject: expect.stringContaining('Confirmez votre paiement') },
    ]);
  });

  inFull(
    'an address that is refused is shown as needing a person, and the next instruction emails again',
    async () => {
      const { invoiceId } = await failingInvoice(world, lost());
      world.email.refusals.push(550);
      await instruct(world, invoiceId, 'CARD_CHANGE');
      await world.advance({ hours: 2 });
      expect(world.email.emails).toEqual([]);
      expect(await actionsOf(world, invoiceId)).toMatchObject([
        { state: 'closed', reason: { code: 'email_not_taken', answer: expect.stringContaining('550') } },
      ]);
      expect(await status()).toMatchObject({ code: 1, text: expect.stringContaining(invoiceId) });
      const { text } = await reportInvoice(world.plugin.parts.database, invoiceId, {});
      expect(text).toMatch(/Email refused by the mail server: .*\(.*550/);

      await instruct(world, invoiceId, 'CARD_CHANGE');
      expect(world.email.emails).toHaveLength(1);
      expect((await status()).code).toBe(0);
    },
  );
});

describe('German customers', () => {
  let failed: ByName<'german' | 'later' | 'suspected' | 'late'>;
  beforeAll(async () => {
    const cards = {
      ...{ german: lost('1001'), later: lost('1002'), late: lost('1003') },
      suspected: acceptsFirst(1, declines('fraudulent', {}, { last4: '1004' })),
    };
    failed = await failTogether(world, cards, { customer: { locale: 'de-DE' } });
  });

  test('a German customer reads German, with the amount as it is written there, and no reason', async () => {
    const { invoiceId } = failed('german');
    await instruct(world, invoiceId, 'CARD_CHANGE');
    const [email] = emailsTo(world, 'german');
    expect(email?.subject?.replace(/\u00a0/g, ' ')).toMatch(
      /^Bitte aktualisieren Sie Ihre Karte für .* \(20,00 \$\)$/,
    );
    expect(email?.html).toContain('<html lang="de-DE" dir="ltr">');
    expect(email?.html).toContain('src="https://cdn.example/logo.png"');
    expect(email?.text).toMatch(/\nKarte aktualisieren\nhttp:\/\/\S+\/card-update\/\S+\n/);
    expect(`${email?.subject}${email?.text}`).not.toMatch(/lost|verloren|gestohlen/i);
  });

  test('a server that says "later" gets the email a quarter of an hour later, once', async () => {
    const { invoiceId } = failed('later');
    world.email.refusals.push(451, 451);
    await instruct(world, invoiceId, 'CARD_CHANGE');
    await world.advance({ minutes: 29 });
    expect(emailsTo(world, 'later')).toEqual([]);
    await world.advance({ minutes: 1 });
    expect(emailsTo(world, 'later')).toHaveLength(1);
    expect((await status()).code).toBe(0);
    await world.advance({ days: 1 });
    expect(emailsTo(world, 'later')).toHaveLength(1);
  });

  test('a suspicion of fraud is answered like any other refusal, and never tried again', async () => {
    const { invoiceId } = failed('suspected');
    await instruct(world, invoiceId, 'RETRY');
    await instruct(world, invoiceId, 'CARD_CHANGE');
    await world.advance({ days: 1 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    const emails = emailsTo(world, 'suspected');
    expect(emails).toHaveLength(1);
    expect(emails[0]?.text).not.toMatch(/fraud|betrug|betrüg/i);
  });

  test('who has an expired link gets a new one by email immediately, one a day, and the old one shows nothing', async () => {
    const { invoiceId, customerId } = failed('late');
    await instruct(world, invoiceId, 'CARD_CHANGE');
    const link = /http\S+\/card-update\/\S+/.exec(emailsTo(world, 'late')[0]?.text ?? '')?.[0] ?? '';
    const press = async (address: string) => {
      const answer = await fetch(address, { method: 'POST', redirect: 'manual' });
      return `${answer.status} ${/<h1>(.*?)<\/h1>/.exec(await answer.text())?.[1]}`;
    };
    await world.advance({ days: 14, hours: 10 });
    const before = world.email.emails.length;
    const shown = await (await fetch(link)).text();
    expect(shown).toContain('Neuen Link senden');
    expect(await press(link)).toBe('200 Bitte sehen Sie in Ihr Postfach');
    expect(await press(link)).toBe('200 Bitte sehen Sie in Ihr Postfach');
    await world.advance({ minutes: 5 });
    expect(await press(link)).toBe('200 Bitte sehen Sie in Ihr Postfach');
    await world.settle();
    expect(world.email.emails.length).toBe(before + 1);
    const renewed = world.email.emails.at(-1);
    expect(renewed?.subject).toMatch(/^Bitte aktualisieren Sie Ihre Karte/);
    const fresh = /http\S+\/card-update\/\S+/.exec(renewed?.text ?? '')?.[0] ?? '';
    expect(await press(fresh)).toMatch(/^303/);
    expect((await reportInvoice(world.plugin.parts.database, invoiceId, {})).text).toContain(
      'Asked by the customer, whose link had expired',
    );

    const forged = createLinkToken(
      { account: 'own', customerId, invoiceId: 'in_of_nobody', expiresAt: world.clock.now() },
      LINK_SECRET,
    );
    expect(await press(`${world.url}/card-update/${forged}`)).toBe('200 Consultez votre messagerie');
    await world.settle();
    expect(world.email.emails.length).toBe(before + 1);
  });
});
