import { type Html, html } from '../../http/html.ts';

/** Commands in backquotes, commands of the status, settings by name, and the ids of invoices. */
const MARKED = /`([^`]+)`|(replay --\w+)|\b([A-Z]{2,}(?:_[A-Z]+)+)\b|\b(in_[A-Za-z0-9]{8,})\b/g;

/** A sentence of the status or of a history: invoices are links, what is typed somewhere looks like it. */
export function wordsToHtml(text: string, root: string): Html {
  let end = 0;
  let markup = html``;
  for (const match of text.matchAll(MARKED)) {
    const [whole, quoted, command, setting, invoiceId] = match;
    const marked =
      invoiceId === undefined
        ? html`<code>${quoted ?? command ?? setting ?? ''}</code>`
        : linkToInvoice(invoiceId, root);
    markup = html`${markup}${text.slice(end, match.index)}${marked}`;
    end = match.index + whole.length;
  }
  return html`${markup}${text.slice(end)}`;
}

function linkToInvoice(id: string, root: string): Html {
  return html`<a href="${root}invoices/${encodeURIComponent(id)}">${id}</a>`;
}
