/** One invoice: the next step and its reason, the possible operations, the timeline, and the facts. */

import type { RequestHandler } from 'express';
import { capitalize } from '../../../../core/base/sentence-case.ts';
import { rootFrom } from '../../../../core/web/page-place.ts';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import { findInvoiceHistory, type InvoiceHistory } from '../../../store/reports/invoice-history.ts';
import { type Failure, listFailures } from '../../../store/reports/money/list-failures.ts';
import { refreshForReader } from '../../../store/reports/money/refresh-failures.ts';
import { findInvoiceKey } from '../../../store/tables/invoice-keys.ts';
import { describeNextStep } from '../../text/describe-next-step.ts';
import { isOwed, listSummary } from '../../text/describe-summary.ts';
import { countTimeline, listTimeline } from '../../text/list-timeline.ts';
import { previewForms, standingOf } from '../../text/preview-operation.ts';
import { ID, notFound, type Page, type PageDeps } from '../page-answer.ts';
import { useReader } from '../page-reader.ts';
import {
  CardName,
  Copied,
  Copy,
  CustomerLink,
  Fact,
  Link,
  Moment,
  Money,
  StateChip,
} from '../parts/cells.tsx';
import { MarkedWords } from '../parts/marked-words.tsx';
import { OperationForms } from '../parts/operation-form.tsx';
import { Timeline } from '../timeline/timeline.tsx';

/** The field of the menu leads to an invoice's own address, and all else to the list. */
export const lookUp: RequestHandler = (request, response, next) => {
  const { id } = request.query;
  if (typeof id !== 'string') return next();
  const [wanted, root] = [id.trim(), rootFrom(request)];
  if (wanted === '') response.redirect(303, root);
  else if (wanted.startsWith('in_')) response.redirect(303, `${root}invoices/${encodeURIComponent(wanted)}`);
  else response.redirect(303, `${root}invoices?${new URLSearchParams({ q: wanted })}`);
};

export const invoicePage: Page = async (deps, { request }) => {
  const { database } = deps;
  const id = String(request.params.id);
  // By its account: indexes begin with it.
  const key = ID.test(id) ? await findInvoiceKey(database, id) : undefined;
  const history = key && (await findInvoiceHistory(database, id, key.account));
  if (!key || !history)
    return notFound(
      'Unknown invoice',
      `Nothing is known about ${id}.`,
      'Check the id: it begins with in_, and Stripe’s Dashboard shows it on the page of the invoice. An invoice is known here from its first event, or from the first instruction for it, on.',
    );
  await refreshForReader(database);
  const [failure] = await listFailures(
    database,
    { invoices: [id], account: key.account },
    { sort: 'failed', limit: 1 },
  );
  const forms = { fields: { invoice: id }, standing: standingOf(history) };
  const shown = {
    id,
    history,
    failure,
    stripeUrl: stripeUrlOf(deps, 'invoices', { id, account: history.invoice?.account }),
    previewed: isOwed(history) ? await previewForms(deps.operations, 'invoice', forms) : undefined,
  };
  const title = [failure?.customerName, history.invoice?.number ?? id].filter(Boolean).join(', ');
  return { title, here: 'invoices', isLive: true, main: <Invoice {...shown} /> };
};

interface ShownInvoice {
  readonly id: string;
  readonly history: InvoiceHistory;
  /** Undefined if no payment of it failed, as far as is known. */
  readonly failure: Failure | undefined;
  /** Where Stripe shows it, if that is known. */
  readonly stripeUrl: string | undefined;
  /** Forms that can be sent now, as far as they have a preview; undefined where nothing can be collected. */
  readonly previewed: Awaited<ReturnType<typeof previewForms>> | undefined;
}

function Invoice(shown: ShownInvoice) {
  const { id, history, failure } = shown;
  const entries = listTimeline([{ id, history }]);
  const number = history.invoice?.number ?? id;
  return (
    <>
      <div>
        <Link class="up" to="invoices">
          Invoices
        </Link>
        <h1>
          {failure ? nameOf(failure) : 'Invoice'}{' '}
          {failure && (
            <>
              <span class="soft">
                <Money {...failure} />
              </span>{' '}
              <StateChip {...failure} />
            </>
          )}
        </h1>
        <p class="soft">
          Invoice {number} <Copy text={number} />
          {failure?.planName}
        </p>
      </div>
      <div class="page">
        <div class="column">
          <NextStep {...shown} />
          <Timeline entries={entries} aside={<span class="soft">{countTimeline(entries)}</span>} />
        </div>
        <Facts {...shown} />
      </div>
    </>
  );
}

const nameOf = ({ customerName, customerEmail, customerId }: Failure) =>
  customerName ?? customerEmail ?? customerId ?? 'Unknown customer';

/** One sentence with its reason, the technical status behind it, and what can be done. */
function NextStep({ id, history, failure, stripeUrl, previewed }: ShownInvoice) {
  const { zone } = useReader();
  const isDisputed = (failure?.disputed ?? 0) > 0;
  return (
    <section class="card next">
      <h2 class="soft">Next step</h2>
      <p class="step">
        <MarkedWords text={describeNextStep(history, failure?.need)} as="short" />
      </p>
      <div class="acts">
        {previewed && (
          <OperationForms
            about="invoice"
            standing={standingOf(history)}
            {...{ previewed, back: `invoices/${id}`, fields: { invoice: id } }}
            zones={[...new Set([zone, 'UTC'])]}
          />
        )}
        {stripeUrl && (
          <a class={isDisputed ? 'button primary' : 'button plain'} href={stripeUrl} rel="noreferrer">
            {isDisputed ? 'Respond in Stripe' : 'Open in Stripe'}
          </a>
        )}
      </div>
      <details>
        <summary>Status in detail</summary>
        <dl class="facts">
          {listSummary(id, history).map(({ about, text }) => (
            <Fact name={capitalize(about)}>
              <MarkedWords text={capitalize(text)} />
            </Fact>
          ))}
        </dl>
      </details>
    </section>
  );
}

function Facts({ id, history: { invoice, attempts }, failure }: ShownInvoice) {
  const ours = attempts.filter(({ source }) => source === 'ours').length;
  const sums = [
    ['Outstanding', invoice?.amountRemaining],
    ['Paid', failure?.state === 'recovered' ? failure.amount : 0],
    ['Returned', failure?.returned],
    ['Disputed', failure?.disputed],
  ] as const;
  const currency = failure?.currency ?? invoice?.currency ?? '';
  const ids = [
    ['Invoice', id],
    ['Customer', invoice?.customerId],
    ['Subscription', invoice?.subscriptionId],
    ['Account', invoice?.account === OWN_ACCOUNT ? undefined : invoice?.account],
  ] as const;
  return (
    <section class="card">
      <h2>Facts</h2>
      <dl class="facts">
        {sums.map(
          ([name, amount]) =>
            amount !== undefined &&
            amount > 0 && (
              <Fact name={name}>
                <b>
                  <Money {...{ amount, currency }} />
                </b>
              </Fact>
            ),
        )}
        {failure && (
          <>
            <Fact name="Customer">
              <CustomerLink {...failure} />
            </Fact>
            <Fact name="Card">
              <CardName {...failure} />
              {failure.country !== null && `, ${failure.country}`}
            </Fact>
            <Fact name="Plan">{failure.planName ?? failure.plan ?? '–'}</Fact>
            <Fact name="First failed">
              <Moment at={failure.failedAt} />
            </Fact>
          </>
        )}
        <Fact name="Attempts">
          {attempts.length - ours} by Stripe, {ours} {ours === 1 ? 'retry' : 'retries'}
        </Fact>
        {ids.map(
          ([name, text]) =>
            text && (
              <Fact name={name}>
                <Copied text={text} />
              </Fact>
            ),
        )}
      </dl>
    </section>
  );
}

/** The invoice's page in the Dashboard, for the own account alone: another's is its merchant's. A stand-in for Stripe has none. */
export function stripeUrlOf(
  { config: { livemode, stripe } }: Pick<PageDeps, 'config'>,
  kind: 'invoices' | 'customers',
  { id, account }: { readonly id: string; readonly account: string | undefined },
): string | undefined {
  if (account !== OWN_ACCOUNT || livemode === undefined || stripe.apiBase.host !== 'api.stripe.com')
    return undefined;
  return `https://dashboard.stripe.com/${livemode ? '' : 'test/'}${kind}/${encodeURIComponent(id)}`;
}
