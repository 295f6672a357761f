import fc from 'fast-check';
import { DateTime } from 'luxon';
import { brandColors, contrast, parseColor } from '../../../src/plugin/mails/brand-colors.ts';
import { renderCustomerEmail } from '../../../src/plugin/mails/customer-email.ts';
import { runs } from '../../support/runner/full-run.ts';

test.each([
  ['#0a7a5c', '#0a7a5c'],
  ['0A7A5C', '#0a7a5c'],
  ['#abc', '#aabbcc'],
  [' #fff ', '#ffffff'],
  ['#abcd', undefined],
  ['red', undefined],
  ['#12345g', undefined],
  ['#fff;background:url(x)', undefined],
  ['', undefined],
  [null, undefined],
])('reads %p as %p', (text, expected) => {
  expect(parseColor(text)).toBe(expected);
});

test.each([
  ['#000000', '#ffffff', 21],
  ['#ffffff', '#ffffff', 1],
  ['#777777', '#ffffff', 4.48],
  ['#ff0000', '#ffffff', 4],
  ['#0000ff', '#ffffff', 8.59],
])('the contrast of %s and %s is %d', (one, other, ratio) => {
  expect(contrast(one, other)).toBeCloseTo(ratio, 2);
  expect(contrast(other, one)).toBeCloseTo(ratio, 2);
});

test.each([
  ['#0a7a5c', '#ffffff', '#0a7a5c'],
  ['#ffe14d', '#000000', '#5b6270'],
  ['#ffffff', '#000000', '#5b6270'],
  ['#000000', '#ffffff', '#000000'],
  ['nonsense', '#ffffff', '#1f4fd8'],
  [undefined, '#ffffff', '#1f4fd8'],
])('%p has letters in %s and the outline %s', (color, text, outline) => {
  expect(brandColors(color)).toMatchObject({ text, outline });
});

test('letters can be read and the button be seen on every colour (WCAG AA)', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
      const { background, text, outline } = brandColors(`#${value.toString(16).padStart(6, '0')}`);
      expect(contrast(background, text)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(outline, '#ffffff')).toBeGreaterThanOrEqual(3);
    }),
    { numRuns: runs(1000) },
  );
});

describe('an email', () => {
  const email = {
    merchantName: 'Acme',
    amount: 1999,
    currency: 'EUR',
    link: 'https://shop.example/x',
    expiresAt: DateTime.fromISO('2026-06-14T14:00:00Z', { zone: 'utc' }),
    zone: 'UTC',
    locale: 'en',
  };

  test('a customer email wears the merchant’s name, colour and logo', () => {
    const look = { color: '#FFE14D', logoUrl: 'https://cdn.example/logo.png?a=1&b="x' };
    const { html } = renderCustomerEmail('card_update', { ...email, look });
    expect(html).toContain('<img src="https://cdn.example/logo.png?a=1&amp;b=&quot;x" alt');
    expect(html).toContain('background:#ffe14d;color:#000000');
    expect(html).toMatch(/<p class="text"[^>]*>Acme<\/p>/);
  });

  test('a customer email has no image without a logo, and a colour that is none does no harm', () => {
    const { html } = renderCustomerEmail('card_update', {
      ...email,
      look: { color: 'red;} body{display:none' },
    });
    expect(html).not.toContain('<img');
    expect(html).not.toContain('body{display:none');
    expect(html).toContain('background:#1f4fd8;color:#ffffff');
  });
});
