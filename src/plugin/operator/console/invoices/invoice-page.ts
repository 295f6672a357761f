import type { RequestHandler } from 'express';
import { orUnavailable } from '../../../../core/base/errors.ts';
import { rootFrom } from '../../../../core/web/page-place.ts';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import { findInvoiceHistory } from '../../../store/reports/invoice-history.ts';
import { listFailures } from '../../../store/reports/money/list-failures.ts';
import { refreshForReader } from '../../../store/reports/money/refresh-failures.ts';
import { findInvoiceKey } from '../../../store/tables/invoice-keys.ts';
import { previewForms, standingOf } from '../../text/preview-operation.ts';
import { ID, notFound, type Page, type PageDeps } from '../page-answer.ts';
import { InvoiceView, isCollectable } from './invoice-view.tsx';

/** The field of the menu leads to an invoice's own address, and all else to the list. */
export const lookUp: RequestHandler = (request, response, next) => {
  const { id } = request.query;
  if (typeof id !== 'string') return next();
  const [wanted, root] = [id.trim(), rootFrom(request)];
  if (wanted === '') response.redirect(303, root);
  else if (wanted.startsWith('in_')) response.redirect(303, `${root}invoices/${encodeURIComponent(wanted)}`);
  else response.redirect(303, `${root}invoices?${new URLSearchParams({ q: wanted })}`);
};

export const invoicePage: Page = async (deps, { request, reader, token }) => {
  const { database } = deps;
  const id = String(request.params.id);
  // By its account: indexes begin with it.
  const key = ID.test(id) ? await orUnavailable(findInvoiceKey(database, id)) : undefined;
  const history = key && (await orUnavailable(findInvoiceHistory(database, id, key.account)));
  if (!key || !history)
    return notFound(
      'Unknown invoice',
      `Nothing is known about ${id}.`,
      'Check the id: it begins with in_, and Stripe’s Dashboard shows it on the page of the invoice. An invoice is known here from its first event, or from the first instruction for it, on.',
    );
  await orUnavailable(refreshForReader(database));
  const [failure] = await orUnavailable(
    listFailures(database, { invoices: [id], account: key.account }, { sort: 'failed', limit: 1 }),
  );
  const stripeUrl = stripeUrlOf(deps, 'invoices', { id, account: history.invoice?.account });
  const forms = { fields: { invoice: id }, standing: standingOf(history) };
  const main = InvoiceView({
    previewed: isCollectable(history) ? await previewForms(deps.operations, 'invoice', forms) : new Map(),
    id,
    history,
    failure,
    stripeUrl,
    token,
    reader,
  });
  const title = [failure?.customerName, history.invoice?.number ?? id].filter(Boolean).join(', ');
  return { title, here: 'invoices', isLive: true, main };
};

/** The invoice's page in the Dashboard, for the own account alone: another's is its merchant's. A stand-in for Stripe has none. */
export function stripeUrlOf(
  { config: { livemode, stripe } }: PageDeps,
  kind: 'invoices' | 'customers',
  { id, account }: { readonly id: string; readonly account: string | undefined },
): string | undefined {
  if (account !== OWN_ACCOUNT || livemode === undefined || stripe.apiBase.host !== 'api.stripe.com')
    return undefined;
  return `https://dashboard.stripe.com/${livemode ? '' : 'test/'}${kind}/${encodeURIComponent(id)}`;
}
