import { formatMoney } from '../../../src/plugin/mails/format-money.ts';

test.each([
  [999, 'usd', 'en-US', '$9.99'],
  [123_456, 'EUR', 'pt', '1234,56\u00a0€'],
  [123_456, 'BRL', 'pt-BR', 'R$\u00a01.234,56'],
  [999, 'EUR', 'de-DE', '9,99\u00a0€'],
  [123_456_789, 'INR', 'en-IN', '₹12,34,567.89'],
  [5, 'USD', 'en', '$0.05'],
  [0, 'USD', 'en', '$0.00'],
  [-999, 'USD', 'en', '-$9.99'],
  [999, 'CAD', 'en', 'CA$9.99'],
  [1500, 'JPY', 'en', '¥1,500'],
  [1500, 'KRW', 'en', '₩1,500'],
  [1500, 'XOF', 'en', 'F\u202fCFA\u00a01,500'],
  [150_000, 'ISK', 'en', 'ISK\u00a01,500'],
  [150_050, 'ISK', 'en', 'ISK\u00a01,500.50'],
  [150_000, 'UGX', 'en', 'UGX\u00a01,500'],
  [1_230, 'KWD', 'en', 'KWD\u00a01.230'],
  [100_000, 'HUF', 'en', 'HUF\u00a01,000.00'],
  [100_000, 'TWD', 'en', 'NT$1,000.00'],
  [999, 'XYZ', 'en', 'XYZ\u00a09.99'],
  [999, 'eur€', 'en', '9.99'],
  [999, 'euro', 'en', '9.99'],
  [999, '', 'en', '9.99'],
])('%p in %p for %p reads %p', (amount, currency, locale, text) => {
  expect(formatMoney(amount, currency, locale)).toBe(text);
});

test.each('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '))(
  '%s has no digits after the point',
  (currency) => {
    expect(formatMoney(1234, currency, 'en')).toMatch(/1,234$/);
  },
);

test.each('BHD JOD KWD OMR TND'.split(' '))('%s has three digits after the point', (currency) => {
  expect(formatMoney(1234, currency, 'en')).toMatch(/1\.234$/);
});
