/** Stripe's lists by creation time, a page at a time, at a pace that leaves room for other requests. */

import Stripe from 'stripe';
import { createKeyedQueues } from '../../../core/base/keyed-queues.ts';
import { idOf } from '../chosen-methods.ts';
import { asBackfill } from '../request-budget.ts';
import { ifAllowed } from '../stripe-refusals.ts';
import { readRecordedAttempts } from './stripe-charges.ts';

export interface ListRequest {
  readonly account: string;
  /** Unix seconds of creation, both inclusive. */
  readonly from: number;
  readonly to: number;
  /** Id of the last object read, which lies in the range. */
  readonly after: string | null;
  /** Requests a second to this list, by all its readers at this pace. */
  readonly perSecond: number;
}

export interface ListedPage<Item> {
  /** Newest first. */
  readonly data: readonly Item[];
  readonly hasMore: boolean;
}

export interface RecordedAttempt {
  readonly attempt: Stripe.Charge;
  readonly invoiceId: string;
}

export type StripeLists = ReturnType<typeof createStripeLists>;

/** Stripe's largest page. */
const PAGE = 100;

type ListParams = { created: { gte: number; lte: number }; limit: number; starting_after?: string };
type AskPage<Item> = (
  params: ListParams,
  options: Stripe.RequestOptions,
) => Promise<{ data: Item[]; has_more: boolean }>;

type Pace = <Result>(endpoint: string, perSecond: number, ask: () => Promise<Result>) => Promise<Result>;

export function createStripeLists(
  stripe: Stripe,
  on: (account: string) => Stripe.RequestOptions,
  isPaced: boolean,
) {
  const pace: Pace = isPaced ? createPace() : (_endpoint, _perSecond, ask) => asBackfill(ask);

  /** Drops a cursor that was deleted meanwhile: objects of its second are read again. */
  const list =
    <Item>(endpoint: string, ask: AskPage<Item>) =>
    async (request: ListRequest): Promise<ListedPage<Item>> => {
      const params: ListParams = { created: { gte: request.from, lte: request.to }, limit: PAGE };
      const { after, perSecond } = request;
      const options = on(request.account);
      const from = (more: Partial<ListParams>) =>
        pace(endpoint, perSecond, () => ask({ ...params, ...more }, options));
      const page =
        after === null
          ? await from({})
          : await from({ starting_after: after }).catch((error) => {
              if (isUnknownCursor(error)) return from({});
              throw error;
            });
      return { data: page.data, hasMore: page.has_more && page.data.length > 0 };
    };

  return {
    /** Includes canceled ones. Leaves out items beyond the tenth, and tiers (stripe-facts 3.3). */
    listSubscriptions: list('subscriptions', (params, options) =>
      stripe.subscriptions.list({ ...params, status: 'all' }, options),
    ),
    listInvoices: list('invoices', (params, options) => stripe.invoices.list(params, options)),
    listInvoicePayments: list('invoice_payments', (params, options) =>
      stripe.invoicePayments.list(params, options),
    ),
    /** Attempts outside Stripe for these payments, with their invoices: no list of charges has them. */
    listRecordedAttempts: async (
      { account, perSecond }: Pick<ListRequest, 'account' | 'perSecond'>,
      payments: readonly Stripe.InvoicePayment[],
    ): Promise<RecordedAttempt[]> => {
      const recorded: RecordedAttempt[] = [];
      for (const { invoice, payment } of payments) {
        const [record, invoiceId] = [idOf(payment.payment_record), idOf(invoice)];
        if (record === undefined || invoiceId === undefined) continue;
        const read = () => readRecordedAttempts(stripe, record, on(account));
        const attempts = await pace('payment_attempt_records', perSecond, read);
        recorded.push(...attempts.map((attempt) => ({ attempt, invoiceId })));
      }
      return recorded;
    },
    listChargesPage: list('charges', (params, options) => stripe.charges.list(params, options)),
    /** Includes their charges; empty if the key may not read them. */
    listFraudWarnings: list('fraud_warnings', async (params, options) => {
      const ask = () => stripe.radar.earlyFraudWarnings.list({ ...params, expand: ['data.charge'] }, options);
      return (await ifAllowed(async () => ask())) ?? { data: [], has_more: false };
    }),
    /** Makes any other request at the pace of its endpoint. */
    atPace: pace,
  };
}

/** Spreads requests over tenths of a second: a burst between two seconds would exceed Stripe's limit (stripe-facts 3.10). */
function createPace(): Pace {
  const queues = createKeyedQueues();
  return (endpoint, perSecond, ask) => {
    const limits =
      perSecond >= 10
        ? { interval: 100, intervalCap: Math.floor(perSecond / 10) }
        : { interval: Math.ceil(1000 / perSecond), intervalCap: 1 };
    return queues.of(`${endpoint} ${perSecond}`, limits).add(() => asBackfill(ask));
  };
}

function isUnknownCursor(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    error.code === 'resource_missing' &&
    error.param === 'starting_after'
  );
}
