import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { EMAIL_TEMPLATES, EMAILS } from '../../../src/plugin/actions/action-kinds.ts';
import { type CustomerEmail, renderCustomerEmail } from '../../../src/plugin/mails/customer-email.ts';
import { EMAIL_STEPS, type Translation } from '../../../src/plugin/mails/email-texts.ts';
import { TRANSLATIONS } from '../../../src/plugin/mails/languages.ts';
import type { PageState } from '../../../src/plugin/mails/page-texts.ts';
import { renderCardUpdatePage } from '../../../src/plugin/retry/mail/card-update-views.tsx';

const FOLDER = new URL('../../../src/plugin/mails/translations/', import.meta.url);
const LANGUAGES = Object.keys(TRANSLATIONS);

const email: Omit<CustomerEmail, 'locale'> = {
  merchantName: 'Acme',
  amount: 123_456,
  currency: 'EUR',
  customerName: 'Ada',
  link: 'https://shop.example/card-update/v1.abc.def?a=1&b=2',
  expiresAt: DateTime.fromISO('2026-06-01T14:00:00Z', { zone: 'utc' }),
  zone: 'Europe/Berlin',
  cards: { failed: '0341', charged: '4242', card: '0341' },
};
const [issuedAt, plan] = [email.expiresAt.minus({ months: 2 }), 'Pro'];
const owed = [
  { id: 'in_1', number: 'A-0042', amount: 1999, currency: 'eur', plan, issuedAt },
  { id: 'in_2', amount: 501, currency: 'eur', plan, issuedAt: issuedAt.plus({ months: 1 }) },
  { id: 'in_3', amount: 300, currency: 'usd', plan: undefined, issuedAt },
];
const each = LANGUAGES.flatMap((locale) => EMAIL_TEMPLATES.map((template) => [locale, template] as const));

/** Every text by its path, such as `emails.card_update.opening.1`. */
function textsOf(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => textsOf(part, path ? `${path}.${key}` : key));
}

const placesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

/** Each text's path with its places. */
const shapeOf = (translation: Translation) =>
  Object.fromEntries(textsOf(translation).map(([path, text]) => [path, placesOf(text)]));

const plainSpaces = (text: string) => text.replace(/[\u202f\u00a0]/g, ' ');

test('each language has a file, and each file a language', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(LANGUAGES.map((language) => `${language}.ts`).sort());
  expect([...LANGUAGES].sort()).toEqual('da de en es fi fr it ja nb nl pl pt pt-BR sv'.split(' '));
});

describe.each(LANGUAGES)('%s', (language) => {
  const translation = TRANSLATIONS[language];
  const english = TRANSLATIONS.en;
  if (!translation || !english) throw new Error(`There are no texts for ${language}.`);

  test('a translation has the same texts with the same places as English', () => {
    expect(shapeOf(translation)).toEqual(shapeOf(english));
  });

  test('a translation addresses one audience: none of the words of the other form of its language', () => {
    const foreign: Readonly<Record<string, RegExp>> = {
      pt: /\bligação|assinatura|forma de pagamento|você|contato|\bem uma?\b|débito/i,
      'pt-BR': /\bligação|subscri|método de pagamento|contacte|\bnuma?\b|\blhe\b|registado/i,
      de: /zahlungsmittel|zahlungsanbieter|sicheren seite/i,
      nl: /eindigend op|betaalmiddel/i,
      it: /addebitata/i,
    };
    const pattern = foreign[language];
    if (pattern === undefined) return;
    for (const [path, text] of textsOf(translation))
      expect([path, pattern.test(text)]).toEqual([path, false]);
  });

  test('a translation has no empty, padded or untranslated text, and typographic apostrophes', () => {
    const englishTexts = new Set(textsOf([english.emails, english.pages]).map(([, text]) => text));
    for (const [path, text] of textsOf(translation)) {
      expect([path, text]).toEqual([path, text.trim()]);
      expect(text).not.toBe('');
      if (language === 'en' || path === 'direction') continue;
      expect([path, text.includes('  ')]).toEqual([path, false]);
      expect([path, englishTexts.has(text)]).toEqual([path, false]);
      expect([path, text]).toEqual([path, text.replace(/['"]/g, '’')]);
    }
  });

  test('a translation names no reason of a decline, no card and no number of one (stripe-facts 5.4)', () => {
    const { update, thanks, nothing_due } = translation.pages;
    const words = JSON.stringify([translation.emails, update, thanks, nothing_due]).toLowerCase();
    const reasons = [
      ...[
        'lost',
        'stolen',
        'fraud',
        'insufficient',
        'expired',
        'blocked',
        'decline',
        'verloren',
        'gestohlen',
      ],
      ...[
        'betrug',
        'abgelaufen',
        'perdue',
        'volée',
        'fraude',
        'robada',
        'perdida',
        'rubata',
        'smarrita',
        'frode',
      ],
      ...['roubado', 'perdido', 'gestolen', 'verloren', '盗難', '紛失', '不正', 'visa', 'mastercard'],
    ];
    expect(reasons.filter((reason) => words.includes(reason))).toEqual([]);
  });
});

test.each(LANGUAGES)(
  'an email in %s about several invoices names each, and the sum of each currency',
  (locale) => {
    const consequence = { kind: 'cancel', areSeveral: true, at: email.expiresAt } as const;
    for (const step of EMAIL_STEPS) {
      const { subject, text, html } = renderCustomerEmail('card_update', {
        ...email,
        locale,
        step,
        owed,
        consequence,
      });
      for (const part of [subject, text, html]) expect(part).not.toMatch(/\{\w+\}/);
      expect(subject).toMatch(/25[.,]00.*3[.,]00/);
      expect(text).toMatch(/25[.,]00.*3[.,]00/);
      for (const amount of [
        /^Pro, A-0042, .*2026.*: .*19[.,]99/m,
        /^Pro, .*2026.*: .*5[.,]01/m,
        /^.*2026.*: .*3[.,]00/m,
      ])
        expect(text).toMatch(amount);
      expect(text).toContain(TRANSLATIONS[locale]?.common.several.pays);
    }
  },
);

test('French has a space that does not break before high punctuation', () => {
  for (const [path, text] of textsOf([TRANSLATIONS.fr?.emails, TRANSLATIONS.fr?.pages])) {
    expect([path, /[^\u00a0][:;?!]/.test(text)]).toEqual([path, false]);
  }
});

describe.each(LANGUAGES)('the pages in %s', (locale) => {
  const states = [...Object.keys(TRANSLATIONS.en?.pages ?? {}), 'lost'] as PageState[];
  const facts = { locale, merchantName: 'Acme', owed: owed.slice(0, 1) };
  const end = { at: email.expiresAt, zone: email.zone };

  test.each(states)(
    'the card update page %s has its language, one heading and nothing left to fill',
    (state) => {
      for (const known of [{ ...facts, end }, { locale }]) {
        const page = renderCardUpdatePage(state, known);
        expect(page).toContain(`<html lang="${locale}" dir="ltr">`);
        expect(page.match(/<h1>/g)).toHaveLength(1);
        expect(page).toMatch(/<p[ >]/);
        expect(page).not.toMatch(/\{\w+\}|undefined|NaN/);
      }
    },
  );

  test('the card update pages escape a hostile name and keep its direction apart', () => {
    const merchantName = '<img src=x onerror=alert(1)> {amount} \u202e"\'&';
    const page = renderCardUpdatePage('update', { ...facts, end, merchantName });
    expect(page).toContain("<bdi>&lt;img src=x onerror=alert(1)> {amount} &quot;'&amp;</bdi>");
  });

  test('the card update pages show the amount and the end of the link where they are to be known', () => {
    const page = renderCardUpdatePage('update', { ...facts, end });
    expect(page).toMatch(/<strong>[^<]*19[.,]99[^<]*<\/strong>/);
    expect(page).toContain('2026');
    expect(renderCardUpdatePage('expired', { locale, end })).toContain('2026');
  });
});

describe.each(each)('the email in %s: %s', (locale, template) => {
  const rendered = renderCustomerEmail(template, { ...email, locale });

  test('a customer email has its language, a text part with the link, and nothing left to fill', () => {
    expect(rendered.html).toContain(`<html lang="${locale}" dir="ltr">`);
    expect(rendered.text).toContain(`\n${email.link}\n`);
    expect(rendered.text).toContain('Ada');
    for (const part of Object.values(rendered)) {
      expect(part).not.toMatch(/\{\w+\}|undefined|NaN/);
      expect(part).toContain('Acme');
    }
  });

  test('a customer email escapes hostile names and keeps the subject to one line', () => {
    const name = '<img src=x onerror=alert(1)>\r\nBcc: eve@example.com {amount} "\'&';
    const hostile = renderCustomerEmail(template, {
      ...email,
      locale,
      merchantName: name,
      customerName: name,
    });
    expect(hostile.html).not.toContain('<img');
    expect(hostile.html).toContain(
      "&lt;img src=x onerror=alert(1)> Bcc: eve@example.com {amount} &quot;'&amp;",
    );
    expect(hostile.subject).not.toMatch(/[\r\n]/);
  });

  test('each step of a customer email is filled and begins with the greeting', () => {
    const isPrevention = EMAILS[template].about === 'renewal';
    for (const step of isPrevention ? [] : EMAIL_STEPS) {
      const { subject, text } = renderCustomerEmail(template, { ...email, locale, step });
      expect(`${subject}${text}`).not.toMatch(/\{\w+\}|undefined/);
      expect(text.startsWith(TRANSLATIONS[locale]?.common.greeting.replace('{name}', 'Ada') ?? '-')).toBe(
        true,
      );
    }
  });

  test('a customer email names its invoice, and ends with who the merchant is by law', () => {
    const legalLine = 'Acme GmbH, Seestr. 1, Berlin, HRB 1234 B';
    const { text, html } = renderCustomerEmail(template, {
      ...email,
      locale,
      owed: owed.slice(0, 1),
      legalLine,
    });
    expect(text).toMatch(/A-0042, .*2026/);
    expect(text.trimEnd().endsWith(`\n\n${legalLine}`)).toBe(true);
    expect(html).toContain(legalLine);
  });

  test('a customer email reads without any name', () => {
    const unnamed = renderCustomerEmail(template, {
      ...email,
      locale,
      merchantName: '',
      customerName: undefined,
    });
    expect(unnamed.text).not.toMatch(/\{\w+\}|undefined/);
    expect(unnamed.text.startsWith(TRANSLATIONS[locale]?.common.greetingWithoutName ?? '-')).toBe(true);
  });
});

test.each([
  ['en', 'EUR', 123_456, '€1,234.56'],
  ['en-GB', 'GBP', 999, '£9.99'],
  ['de', 'EUR', 123_456, '1.234,56 €'],
  ['de-AT', 'EUR', 123_456, '€ 1.234,56'],
  ['de-CH', 'CHF', 99_950, 'CHF 999.50'],
  ['fr', 'EUR', 123_456, '1 234,56 €'],
  ['es', 'EUR', 1_234_567, '12.345,67 €'],
  ['it', 'EUR', 1_234_567, '12.345,67 €'],
  ['pt-BR', 'BRL', 123_456, 'R$ 1.234,56'],
  ['pt-PT', 'EUR', 1_234_567, '12 345,67 €'],
  ['nl', 'EUR', 123_456, '€ 1.234,56'],
  ['da', 'DKK', 123_456, '1.234,56 kr.'],
  ['nb', 'NOK', 123_456, '1 234,56 kr'],
  ['sv', 'SEK', 123_456, '1 234,56 kr'],
  ['fi', 'EUR', 123_456, '1 234,56 €'],
  ['pl', 'PLN', 123_456, '1234,56 zł'],
  ['ja', 'JPY', 1_234, '￥1,234'],
  ['en', 'JPY', 1_234, '¥1,234'],
  ['de', 'KWD', 1_234, '1,234 KWD'],
])('%s writes %s %d as %s', (locale, currency, amount, expected) => {
  for (const template of ['card_update', 'confirm_payment'] as const) {
    const { subject, text } = renderCustomerEmail(template, { ...email, locale, currency, amount });
    expect(plainSpaces(subject)).toContain(expected);
    expect(plainSpaces(text)).toContain(expected);
  }
});

test.each([
  ['en', 'June 1, 2026 at 4:00 PM'],
  ['de', '1. Juni 2026 um 16:00 MESZ'],
  ['fr', '1er juin 2026 à 16 h'],
  ['es', '1 de junio de 2026'],
  ['it', '1 giugno 2026'],
  ['pt', '1 de junho de 2026'],
  ['nl', '1 juni 2026 om 16:00'],
  ['pt-BR', '1 de junho de 2026'],
  ['da', '1. juni 2026 kl. 16.00'],
  ['nb', '1. juni 2026 kl. 16:00'],
  ['sv', '1 juni 2026 kl. 16:00'],
  ['fi', '1. kesäkuuta 2026'],
  ['pl', '1 czerwca 2026'],
  ['ja', '2026年6月1日 16:00'],
])('%s writes the time as %s', (locale, expected) => {
  expect(plainSpaces(renderCustomerEmail('card_update', { ...email, locale }).text)).toContain(expected);
});

test.each([
  ['en', 'Ada', 'Hello Ada,'],
  ['en', 'דוד', 'Hello \u2068דוד\u2069,'],
  ['pl', 'ليلى', 'Dzień dobry, \u2068ليلى\u2069!'],
])('a name in a greeting in %s keeps its own direction: %s', (locale, customerName, greeting) => {
  const { text, html } = renderCustomerEmail('card_update', { ...email, locale, customerName });
  expect(text.startsWith(`${greeting}\n\n`)).toBe(true);
  expect(html).toContain(`<bdi>${customerName}</bdi>`);
});

test('a name that looks like a place in a text is not filled', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...LANGUAGES),
      fc.constantFrom('{amount}', '{until}', '{name}', '{x}'),
      (locale, name) => {
        const { text } = renderCustomerEmail('card_update', { ...email, locale, customerName: name });
        expect(text).toContain(name);
      },
    ),
  );
});
