import type { PaymentMethodDetails } from '../payment-behaviour.ts';

export function nameOf(details: PaymentMethodDetails): string {
  if ('email' in details) return `${details.type} account of ${details.email}`;
  return `${details.type === 'card' ? details.brand : details.type} ending in ${details.last4}`;
}

/** The frame of the sandbox's own pages, which stand for those that Stripe hosts. */
export function htmlPage(body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Stripe sandbox</title></head>
<body><main>${body}</main></body></html>`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
