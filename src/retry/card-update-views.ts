import { cleanName } from '../email/clean-name.ts';
import { type Html, html } from '../email/html.ts';

/** The only style of the pages. Their content security policy allows it by its hash. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --back: #f3f4f6; --card: #fff; --line: #e2e5ea; --text: #14171c; --soft: #4a5160; --action: #1f4fd8; }
@media (prefers-color-scheme: dark) {
  :root { --back: #16181d; --card: #22252c; --line: #3a3f4a; --text: #e8eaee; --soft: #b4bac6; --action: #3763e6; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
main { width: 100%; max-width: 30rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
p { margin: 0 0 1rem; }
p:last-child { margin: 0; }
.note { color: var(--soft); font-size: .875rem; }
button { width: 100%; margin: .5rem 0 1.5rem; padding: .875rem 1rem; font: inherit; font-weight: 600; color: #fff; background: var(--action);
  border: 2px solid transparent; border-radius: .375rem; cursor: pointer; }
button:hover { filter: brightness(1.1); }
button:focus-visible { outline: 3px solid var(--action); outline-offset: 3px; }
`;

/** Placed into the page by the same expression that the hash is made of: one character more and it is refused. */
const style: Html = { markup: `<style>${PAGE_STYLE}</style>` };

function renderPage(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${style}
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>`.markup;
}

/** Names may be written in either direction; `bdi` keeps them from turning the sentence around. */
function nameOf(merchantName: string | undefined): Html {
  const name = cleanName(merchantName);
  return name ? html`<bdi>${name}</bdi>` : html`the merchant`;
}

/** The form has no action: it posts to the address it was read from, wherever the plugin is mounted. */
export function renderUpdatePage(merchantName: string | undefined): string {
  const merchant = nameOf(merchantName);
  return renderPage(
    'Update your card',
    html`<p>A payment to ${merchant} did not go through. Check your card or add another one, and we will try the payment again.</p>
<form method="post"><button type="submit">Continue to secure page</button></form>
<p class="note">The next page is run by Stripe, our payment provider. Your card details go to Stripe alone.</p>`,
  );
}

/** Also shown to those who came back without a change: the portal has one way back for both. */
export function renderThanksPage(merchantName: string | undefined): string {
  return renderPage(
    'Thank you',
    html`<p>If you saved a card, ${nameOf(merchantName)} will use it for the open payment. There is nothing else you need to do.</p>
<p class="note">You can close this page.</p>`,
  );
}

export function renderNothingDuePage(merchantName: string | undefined): string {
  return renderPage(
    'Nothing is due',
    html`<p>This link was made for a payment to ${nameOf(merchantName)} that is not open any more. You do not need to do anything.</p>
<p class="note">You can close this page.</p>`,
  );
}

export function renderExpiredPage(merchantName: string | undefined): string {
  return renderPage(
    'This link has expired',
    html`<p>For your safety the link works for a limited time only.</p>
<p>To get a new one, reply to the email it came with, or contact ${nameOf(merchantName)}.</p>`,
  );
}

export function renderNotFoundPage(): string {
  return renderPage(
    'This link does not work',
    html`<p>Part of the address may be missing. Open the link in the email again, or copy all of it into your browser.</p>
<p>If that does not help, reply to the email it came with.</p>`,
  );
}

export function renderTryAgainPage(): string {
  return renderPage(
    'Something went wrong',
    html`<p>We could not open the secure page. Nothing was changed. Please try again in a moment.</p>
<form method="post"><button type="submit">Try again</button></form>`,
  );
}

export function renderTooManyPage(): string {
  return renderPage(
    'One moment, please',
    html`<p>There were many requests from your network. Please wait a few minutes, then open the link again.</p>`,
  );
}
