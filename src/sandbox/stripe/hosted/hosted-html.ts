import { pageStyle } from '../../../http/page-style.ts';
import type { PaymentMethodDetails } from '../payment-behaviour.ts';

export function nameOf(details: PaymentMethodDetails): string {
  if ('email' in details) return `${details.type} account of ${details.email}`;
  return `${details.type === 'card' ? details.brand : details.type} ending in ${details.last4}`;
}

const STYLE = pageStyle(`
main { max-width: 30rem; margin: 2rem auto; padding: 1.5rem 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
h1 { font-size: 1.125rem; }
button { width: 100%; margin: .25rem 0; padding: .75rem 1rem; }
`);

/** The frame of the sandbox's own pages, which stand for those that Stripe hosts. */
export function htmlPage(body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Stripe sandbox</title><style>${STYLE}</style></head>
<body><main><h1>Stripe, simulated</h1>${body}</main></body></html>`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
