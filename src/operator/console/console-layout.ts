/** What is around every page of the console. */
import { type Html, html } from '../../http/html.ts';
import { styleElement } from '../../http/page-style.ts';
import { CONSOLE_STYLE } from './console-style.ts';

const NOTHING = html``;

export interface ConsolePage {
  readonly title: string;
  readonly main: Html;
  /** Which entry of the menu it is. */
  readonly here?: 'overview' | 'timing';
}

/** What whoever is signed in sees around a page. */
export interface Surroundings {
  /** How the page names the console's root. */
  readonly root: string;
  readonly token: string;
  /** Words on the installation, such as its mode. */
  readonly installation: readonly string[];
  /** What nobody may overlook, on every page. */
  readonly alarms: readonly string[];
}

export function renderConsolePage(
  page: ConsolePage,
  { root, token, installation, alarms }: Surroundings,
): string {
  const item = (here: string, href: string, text: string) =>
    html`<li><a href="${href}"${page.here === here ? CURRENT : NOTHING}>${text}</a></li>`;
  return renderDocument(
    page.title,
    html`<a class="skip" href="#main">Skip to the content</a>
<header><div class="bar">
<a class="brand" href="${root}">Payment Retry</a>
<nav aria-label="Pages"><ul>${[item('overview', root, 'Overview'), item('timing', `${root}timing`, 'Timing')]}</ul></nav>
<form class="find" role="search" method="get" action="${root}invoices"><label for="find">Invoice</label>
<input id="find" name="id" placeholder="in_…" required maxlength="255" autocomplete="off" autocapitalize="none" spellcheck="false"><button>Show</button></form>
<form class="out" method="post" action="${root}logout"><input type="hidden" name="token" value="${token}"><button class="quiet">Sign out</button></form>
</div></header>
${alarms.map((alarm) => html`<p class="alarm" role="alert">${alarm}</p>`)}
<main id="main">
${page.main}
</main>
<footer><p>${installation.join(' · ')}</p></footer>`,
  );
}

const CURRENT = html` aria-current="page"`;

/** A page for those who are not signed in. */
export function renderOuterPage({ title, main }: Pick<ConsolePage, 'title' | 'main'>): string {
  return renderDocument(title, html`<main class="outer" id="main">${main}</main>`);
}

/** For what went wrong: what it was, and what to do. */
export function renderNotice(title: string, sentences: readonly string[]): Html {
  return html`<h1>${title}</h1>${sentences.map((sentence) => html`<p>${sentence}</p>`)}`;
}

/** A browser that came from elsewhere keeps the cookie back; asked again by a page of ours it sends it. */
export function renderAgain(): string {
  return renderDocument(
    'One moment',
    html`<main class="outer" id="main"><h1>One moment</h1><p><a href="">Go on to the console</a></p></main>`,
    html`<meta http-equiv="refresh" content="0">`,
  );
}

function renderDocument(title: string, body: Html, head: Html = NOTHING): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${head}
<title>${title} · Payment Retry</title>
${styleElement(CONSOLE_STYLE)}
</head>
<body>
${body}
</body>
</html>`.markup;
}
