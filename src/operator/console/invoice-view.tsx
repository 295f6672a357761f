/** What `status in_…` tells of one invoice: how it stands, and all that happened, oldest first. */
import type { ComponentChildren } from 'preact';
import { OWN_ACCOUNT } from '../../config/account.ts';
import type { InvoiceHistory } from '../../store/reports/invoice-history.ts';
import { formatState, type HistoryEntry, listHistoryEntries } from '../text/describe-history.ts';
import { listSummary } from '../text/describe-summary.ts';
import { exactMoment } from '../text/exact-moment.ts';
import { MarkedWords } from './marked-words.tsx';

export interface ShownInvoice {
  readonly id: string;
  readonly history: InvoiceHistory;
  /** Where Stripe shows it, if that is known. */
  readonly stripeUrl: string | undefined;
  readonly root: string;
}

export function InvoiceView({ id, history, stripeUrl, root }: ShownInvoice) {
  const { invoice } = history;
  return (
    <>
      <div class="head">
        <h1>
          Invoice <code>{id}</code>
        </h1>
        {stripeUrl && (
          <a href={stripeUrl} rel="noreferrer">
            In Stripe’s Dashboard
          </a>
        )}
      </div>
      <section class={`card ${invoice?.status === 'paid' ? 'good' : 'calm'}`}>
        <h2>How it stands</h2>
        <dl class="facts">
          <Fact name="state">{formatState(invoice)}</Fact>
          {listSummary(id, history).map(({ about, text }) => (
            <Fact name={about}>
              <MarkedWords text={text} root={root} />
            </Fact>
          ))}
          {invoice && <Ids {...invoice} />}
        </dl>
      </section>
      <section class="card calm">
        <h2>History</h2>
        <ol class="log">
          {listHistoryEntries(history).map((entry) => (
            <Entry {...entry} root={root} />
          ))}
        </ol>
      </section>
    </>
  );
}

function Ids({ customerId, subscriptionId, account }: NonNullable<InvoiceHistory['invoice']>) {
  const ids = [
    ['customer', customerId],
    ['subscription', subscriptionId],
    ['account', account === OWN_ACCOUNT ? null : account],
  ] as const;
  return ids.map(
    ([name, id]) =>
      id !== null && (
        <Fact name={name}>
          <code>{id}</code>
        </Fact>
      ),
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Entry({ at, what, text, root }: HistoryEntry & { root: string }) {
  return (
    <li>
      <time datetime={at.toISOString()}>{exactMoment(at)}</time> <span class={`what ${what}`}>{what}</span>{' '}
      <span class="words">
        <MarkedWords text={text} root={root} />
      </span>
    </li>
  );
}
