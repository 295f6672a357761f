import { readFileSync } from 'node:fs';
import { renderMapping } from '../../../../scripts/docs/render-mapping.ts';
import { extendedInvoice, extendedSubscription } from '../../../../src/core/contract/contract-extensions.ts';

const page = readFileSync(new URL('../../../../docs/reference/mapping.md', import.meta.url), 'utf8');

test('docs/reference/mapping.md is up to date (npm run docs:mapping)', () => {
  expect(page).toBe(renderMapping());
});

test('each field of a record has an example', () => {
  const [subscriptions = '', invoices = ''] = page.split('## Invoices');
  const missing = (text: string, names: readonly string[]) =>
    names.filter((name) => !new RegExp(`[\`"]${name}[\`"]`).test(text));
  expect(missing(subscriptions, Object.keys(extendedSubscription.shape))).toEqual([]);
  // The reference of its subscription is Stripe's own.
  expect(missing(invoices, Object.keys(extendedInvoice.shape))).toEqual(['subscriptionId']);
});
