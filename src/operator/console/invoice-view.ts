/** What `status in_…` tells of one invoice: how it stands, and all that happened, oldest first. */
import { OWN_ACCOUNT } from '../../config/account.ts';
import { type Html, html } from '../../http/html.ts';
import type { InvoiceHistory } from '../../store/reports/invoice-history.ts';
import { formatState, type HistoryEntry, listHistoryEntries } from '../text/describe-history.ts';
import { listSummary } from '../text/describe-summary.ts';
import { exactMoment } from '../text/exact-moment.ts';
import { wordsToHtml } from './words-to-html.ts';

export interface ShownInvoice {
  readonly id: string;
  readonly history: InvoiceHistory;
  /** Where Stripe shows it, if that is known. */
  readonly stripeUrl: string | undefined;
}

export function renderInvoice({ id, history, stripeUrl }: ShownInvoice, root: string): Html {
  const { invoice } = history;
  const link =
    stripeUrl === undefined
      ? html``
      : html`<a href="${stripeUrl}" rel="noreferrer">In Stripe’s Dashboard</a>`;
  const entries = listHistoryEntries(history);
  return html`<div class="head"><h1>Invoice <code>${id}</code></h1>${link}</div>
<section class="card ${invoice?.status === 'paid' ? 'good' : 'calm'}">
<h2>How it stands</h2>
<dl class="facts">
${fact('state', html`${formatState(invoice)}`)}
${listSummary(id, history).map(({ about, text }) => fact(about, wordsToHtml(text, root)))}
${invoice ? renderIds(invoice) : html``}
</dl>
</section>
<section class="card calm">
<h2>History</h2>
<ol class="log">${entries.map((entry) => renderEntry(entry, root))}</ol>
</section>`;
}

function renderIds({ customerId, subscriptionId, account }: NonNullable<InvoiceHistory['invoice']>): Html[] {
  const ids = [
    ['customer', customerId],
    ['subscription', subscriptionId],
    ['account', account === OWN_ACCOUNT ? null : account],
  ] as const;
  return ids.flatMap(([name, id]) => (id === null ? [] : [fact(name, html`<code>${id}</code>`)]));
}

function fact(name: string, value: Html): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function renderEntry({ at, what, text }: HistoryEntry, root: string): Html {
  return html`<li><time datetime="${at.toISOString()}">${exactMoment(at)}</time> <span class="what ${what}">${what}</span> <span class="words">${wordsToHtml(text, root)}</span></li>`;
}
