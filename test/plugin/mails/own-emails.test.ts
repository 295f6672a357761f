/** A merchant's own words for the emails, from a folder or from code. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { guardLogger, silentLogger } from '../../../src/core/base/logger.ts';
import type { CustomerEmail } from '../../../src/plugin/mails/customer-email.ts';
import {
  createEmailWriter,
  type MailToRender,
  type RenderEmail,
} from '../../../src/plugin/mails/email-writer.ts';
import { readOwnTemplates } from '../../../src/plugin/mails/own-templates.ts';
import { captureLog } from '../../support/log-lines.ts';

const LINK = 'https://shop.example/card-update/v1.abc.def';
const EMAIL: CustomerEmail = {
  merchantName: 'Acme & Söhne',
  amount: 123_456,
  currency: 'EUR',
  customerName: 'Ada <b>',
  paidWith: { brand: 'visa', last4: '4242' },
  link: LINK,
  expiresAt: DateTime.fromISO('2026-06-01T14:00:00Z', { zone: 'utc' }),
  zone: 'Europe/Berlin',
  locale: 'de-AT',
};

const REQUEST = {
  template: 'card_update',
  account: 'own',
  about: 'in_1',
  customer: 'cus_1',
  preferredLocales: ['sv', 'de-AT'],
  email: EMAIL,
} as const;

function writeFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'own-emails-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

const pair = (name: string, words: string) => ({
  [`${name}.txt`]: `Subject: ${words}\n\n${words}: {link}\n`,
  [`${name}.html`]: `<p>${words}: <a href="{link}">here</a></p>`,
});

const fromFolder = (files: Readonly<Record<string, string>>) =>
  createEmailWriter(
    [{ name: 'EMAIL_TEMPLATES', render: readOwnTemplates(writeFolder(files)) }],
    silentLogger,
  );

describe('a folder of own emails', () => {
  const write = fromFolder({
    ...pair('card_update', 'for all'),
    ...pair('card_update.de', 'auf Deutsch'),
    ...pair('card_update.last', 'the last'),
    ...pair('card_update.last.de', 'die letzte'),
    'README.md': 'nothing to read',
  });

  test.each([
    ['en', 'first', 'for all'],
    ['de-AT', 'first', 'auf Deutsch'],
    ['de', 'reminder', 'auf Deutsch'],
    ['fr', 'last', 'the last'],
    ['de', 'last', 'die letzte'],
  ] as const)('an own email in %s for the %s time is the most exact one', async (locale, step, subject) => {
    expect(await write({ ...REQUEST, email: { ...EMAIL, locale, step } })).toEqual({
      subject,
      text: `${subject}: ${LINK}\n`,
      html: `<p>${subject}: <a href="${LINK}">here</a></p>`,
    });
  });

  test('an email without an own one is ours', async () => {
    const { subject } = await write({ ...REQUEST, template: 'confirm_payment' });
    expect(subject).toMatch(/^Bitte bestätigen Sie/);
  });

  test('values of an own email are written in the customer’s language, and escaped in HTML', async () => {
    const own = fromFolder({
      'card_update.txt': 'Subject: {merchant}\r\n\r\n{name}: {amount}, {card}\r\n{plan}\r\n{link}',
      'card_update.html': `<p title='{name}'>{merchant}</p>\n<p>{plan}</p>\n<a href="{link}">{amount}</a>`,
    });
    const { subject, text, html } = await own(REQUEST);
    expect(subject).toBe('Acme & Söhne');
    expect(text.replace(/\u00a0/g, ' ')).toBe(`Ada <b>: € 1.234,56, Visa •••• 4242\n${LINK}`);
    expect(html).toMatch(
      new RegExp(`^<p title='Ada &#60;b&#62;'>Acme &#38; Söhne</p>\\n<a href="${LINK}">€.1.234,56</a>$`),
    );
  });

  test('an email whose own subject names what is not known has our subject', async () => {
    const own = fromFolder({ ...pair('card_update', 'x'), 'card_update.txt': 'Subject: {plan}\n\n{link}' });
    expect(await own(REQUEST)).toMatchObject({
      subject: expect.stringMatching(/^Bitte aktualisieren/),
      text: LINK,
    });
  });

  test('everything wrong with the folder is told at once', () => {
    const folder = writeFolder({
      'card_update.txt': 'Hello {nmae}',
      'card_update.html': '<p>no link</p>',
      'card_update.xx.txt': 'Subject: a\n\n{link}',
      'expiring_card.html': '{link}',
    });
    let message = '';
    try {
      readOwnTemplates(folder);
    } catch (error) {
      message = error instanceof Error ? error.message : '';
    }
    for (const problem of [
      'card_update.txt without "Subject: …" in its first line',
      'card_update.txt without {link}',
      'card_update.html without {link}',
      'has card_update.xx, which is no name of an email',
      'lacks card_update.xx.html',
      'lacks expiring_card.txt',
    ])
      expect(message).toContain(problem);
    expect(() => readOwnTemplates(join(folder, 'none'))).toThrow(/EMAIL_TEMPLATES cannot be read/);
  });

  test('a place that does not exist is told', () => {
    const folder = writeFolder({ ...pair('card_update', 'x {nmae}') });
    expect(() => readOwnTemplates(folder)).toThrow(/has \{nmae\} in card_update\.html; there are link, /);
  });
});

describe('own words from code', () => {
  const from = (render: RenderEmail, { logger } = captureLog()) =>
    createEmailWriter([{ name: 'renderEmail', render }], guardLogger(logger, []));

  test('code is given what is known and ours, and replaces what it returns', async () => {
    const seen: MailToRender[] = [];
    const write = from(async (email, ours) => {
      seen.push(email);
      return { subject: `[Acme]\n${ours.subject}` };
    });
    const words = await write(REQUEST);
    expect(words.subject).toMatch(/^\[Acme\] Bitte aktualisieren/);
    expect(words.text).toContain(LINK);
    expect(seen).toMatchObject([
      {
        template: 'card_update',
        step: 'first',
        account: 'own',
        about: 'in_1',
        customer: 'cus_1',
        locale: 'de-AT',
        preferredLocales: ['sv', 'de-AT'],
        amount: 123_456,
        currency: 'EUR',
        expiresAt: '2026-06-01T14:00:00.000Z',
        values: { link: LINK, merchant: 'Acme & Söhne', plan: undefined },
      },
    ]);
  });

  test.each<[string, RenderEmail]>([
    [
      'throws',
      () => {
        throw new Error(`no words for ${LINK}`);
      },
    ],
    ['leaves the link out', () => ({ html: '<p>Pay!</p>' })],
    ['has an empty subject', () => ({ subject: ' ' })],
    ['returns no text', () => ({ text: 42 }) as never],
  ])(
    'our own email goes out where code %s, which is said once and without the link',
    async (_what, render) => {
      const log = captureLog();
      const write = from(render, log);
      const ours = await createEmailWriter([], silentLogger)(REQUEST);
      expect(await write(REQUEST)).toEqual(ours);
      expect(await write(REQUEST)).toEqual(ours);
      expect(log.lines).toHaveLength(1);
      expect(log.lines.join()).not.toContain('v1.abc');
    },
  );

  test('ours goes out where code never answers', async () => {
    const log = captureLog();
    const write = createEmailWriter(
      [{ name: 'renderEmail', render: () => new Promise(() => {}) }],
      guardLogger(log.logger, []),
      1,
    );
    expect(await write(REQUEST)).toEqual(await createEmailWriter([], silentLogger)(REQUEST));
    expect(log.lines.join()).toContain('no answer within 0.001 seconds');
  });

  test('what fails again after it could be used is said again', async () => {
    const log = captureLog();
    const answers = [{ subject: '' }, { subject: 'Fine' }, { subject: '' }];
    const write = from(() => answers.shift(), log);
    for (let round = 0; round < 3; round += 1) await write(REQUEST);
    expect(log.lines).toHaveLength(2);
  });

  test('an escaped link is one', async () => {
    const email = { ...EMAIL, link: 'https://invoice.stripe.com/i/1?s=em&t=2' };
    const html = '<a href="https://invoice.stripe.com/i/1?s=em&amp;t=2">pay</a>';
    expect(await from(() => ({ html }))({ ...REQUEST, email })).toMatchObject({ html });
  });
});
