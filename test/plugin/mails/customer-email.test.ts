import fc from 'fast-check';
import { DateTime } from 'luxon';
import { brandColors } from '../../../src/plugin/mails/brand-colors.ts';
import { type CustomerEmail, renderCustomerEmail } from '../../../src/plugin/mails/customer-email.ts';
import { renderEmailHtml } from '../../../src/plugin/mails/email-layout.tsx';
import { anyCharacter } from '../../support/any-character.ts';
import { runs } from '../../support/runner/full-run.ts';

const email: CustomerEmail = {
  merchantName: 'Acme',
  amount: 1999,
  currency: 'EUR',
  customerName: 'Ada',
  link: 'https://shop.example/card-update/v1.abc.def?a=1&b=2',
  expiresAt: DateTime.fromISO('2026-06-14T14:00:00Z', { zone: 'utc' }),
  zone: 'America/New_York',
  locale: 'en-US',
};

/** Node versions differ in the kind of space before AM and PM. */
const plainSpaces = (text: string) => text.replace(/[\u202f\u00a0]/g, ' ');

test('says who asks for what, how to do it, and until when', () => {
  const { subject, text } = renderCustomerEmail('card_update', email);
  expect(subject).toBe('Update your card for Acme (€19.99)');
  expect(plainSpaces(text)).toContain('Hello Ada,\n\nYour payment of €19.99 to Acme did not go through.');
  expect(plainSpaces(text)).toContain('until June 14, 2026 at 10:00 AM EDT');
  expect(text).toContain(`\n${email.link}\n`);
});

test('has the link on the button and bare, escaped', () => {
  const { html } = renderCustomerEmail('card_update', email);
  const link = 'https://shop.example/card-update/v1.abc.def?a=1&amp;b=2';
  expect(html.split(`href="${link}"`)).toHaveLength(3);
  expect(html).toContain(`>${link}</a>`);
  expect(html).not.toContain('b=2&b');
});

test('greets without a name when there is none', () => {
  for (const customerName of [undefined, '', ' \u0000 ']) {
    expect(renderCustomerEmail('card_update', { ...email, customerName }).text).toMatch(/^Hello,\n/);
  }
});

test.each([
  'https://evil.example/pay',
  'Ada www.evil.example',
  'evil.example/pay',
  'evil。example',
  'ada@evil.example',
  'Ada ht\u200btp://evil',
  'mailto:ada@evil',
])('greets nobody by the name %j, which mail readers would make a link of', (customerName) => {
  const { text, html } = renderCustomerEmail('card_update', { ...email, customerName });
  expect(text).toMatch(/^Hello,\n/);
  expect(html).not.toContain('evil');
});

test.each(['Dr. Ada King', 'J.R. Smith', 'Maersk A/S', 'Ada, Inc.', 'St. John'])(
  'greets %j by name',
  (customerName) => {
    expect(renderCustomerEmail('card_update', { ...email, customerName }).text).toContain(
      `Hello ${customerName},`,
    );
  },
);

test('reads well without a merchant name', () => {
  expect(renderCustomerEmail('card_update', { ...email, merchantName: ' ' }).subject).toBe(
    'Update your card for the merchant (€19.99)',
  );
});

test.each([
  ['en-GB', 'en-GB', '14 June 2026 at 10:00 GMT-4'],
  ['en', 'en', 'June 14, 2026 at 10:00 AM EDT'],
  ['de-DE', 'de-DE', '14. Juni 2026 um 10:00 GMT-4'],
  ['zh-CN', 'en', 'June 14, 2026 at 10:00 AM EDT'],
  ['auto', 'en', 'June 14, 2026 at 10:00 AM EDT'],
  ['not a locale', 'en', 'June 14, 2026 at 10:00 AM EDT'],
  ['', 'en', 'June 14, 2026 at 10:00 AM EDT'],
])('the locale %p reads %p', (locale, language, time) => {
  const { html, text } = renderCustomerEmail('card_update', { ...email, locale });
  expect(html).toContain(`<html lang="${language}" dir="ltr">`);
  expect(plainSpaces(text)).toContain(time);
});

test('shows the time in UTC when the zone does not exist', () => {
  const { text } = renderCustomerEmail('card_update', { ...email, zone: 'Mars/Base' });
  expect(plainSpaces(text)).toContain('June 14, 2026 at 2:00 PM UTC');
});

test('escapes markup in names', () => {
  const name = '<img src=x onerror=alert(1)> "Tom" & Co';
  const { html } = renderCustomerEmail('card_update', { ...email, merchantName: name, customerName: name });
  expect(html).not.toContain('<img');
  expect(html).toContain('&lt;img src=x onerror=alert(1)> &quot;Tom&quot; &amp; Co');
});

test('keeps names of other scripts, and emoji', () => {
  const { subject, html } = renderCustomerEmail('card_update', {
    ...email,
    merchantName: 'متجر 🛒 ショップ',
  });
  expect(subject).toContain('متجر 🛒 ショップ');
  expect(html).toContain('متجر 🛒 ショップ');
});

test('makes a subject of one bounded line, and an email, from any input', () => {
  const any = fc.string({ unit: anyCharacter, maxLength: 200 });
  fc.assert(
    fc.property(
      any,
      any,
      any,
      any,
      fc.maxSafeInteger(),
      (merchantName, customerName, locale, currency, amount) => {
        const rendered = renderCustomerEmail('card_update', {
          ...email,
          merchantName,
          customerName,
          locale,
          currency,
          amount,
        });
        expect(rendered.subject).not.toMatch(/[\r\n\u2028\u2029\p{Cc}]/u);
        expect(rendered.html).toContain(email.link.replace('&', '&amp;'));
      },
    ),
    { numRuns: runs(400) },
  );
});

test('a language that is written from right to left turns the email around, wherever it is shown', () => {
  const html = renderEmailHtml({
    language: 'he',
    direction: 'rtl',
    brand: { name: 'Acme', logoUrl: undefined, colors: brandColors(undefined) },
    heading: 'כרטיס',
    preview: '',
    greeting: 'שלום {name},',
    name: 'Ada',
    opening: [],
    details: [],
    ask: [],
    button: { label: 'עדכון', link: 'https://shop.example/' },
    bareLink: '',
    closing: [],
  });
  expect(html).toContain('<html lang="he" dir="rtl">');
  expect(html).toMatch(/<td class="card" dir="rtl"/);
  expect(html).toContain('שלום <bdi>Ada</bdi>,');
  expect(html).not.toMatch(/(text-align|float|(margin|padding)-(left|right)):/);
});
