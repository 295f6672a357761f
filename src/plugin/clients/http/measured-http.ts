/** Measures each of Stripe's answers, and limits requests: each waits for the budget, and a 429 lowers the pace. */
import type Stripe from 'stripe';
import type { Measures } from '../../../core/telemetry/measures.ts';
import { inSpan, SpanKind } from '../../../core/telemetry/spans.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { endpointPace } from '../../settings/stripe-settings.ts';
import { isBackfill, type RequestBudget } from '../request-budget.ts';
import { createStripeHttp } from './stripe-http.ts';

export type HttpClient = Stripe.HttpClient;

export function createMeasuredHttp(
  measures: Measures,
  plain: HttpClient = createStripeHttp(),
  hearDate: (date: string | undefined) => void = () => {},
): HttpClient {
  const makeRequest: HttpClient['makeRequest'] = (...request) => {
    const [, , path, method] = request;
    const resource = resourceOf(path);
    return measures.timed(
      'payment_retry_stripe_request_duration_seconds',
      () =>
        inSpan(`Stripe ${method} ${resource}`, { kind: SpanKind.CLIENT }, () =>
          plain.makeRequest(...request),
        ),
      (result) => {
        const status = result.status === 'fulfilled' ? String(result.value.getStatusCode()) : 'none';
        if (result.status === 'fulfilled') hearDate(dateOf(result.value.getHeaders()));
        return { method, resource, status };
      },
    );
  };
  return Object.assign(Object.create(plain), { makeRequest });
}

const dateOf = ({ date }: Record<string, unknown>): string | undefined =>
  typeof date === 'string' ? date : undefined;

/** `invoices` of `/v1/invoices/in_…/pay`: a small set of labels. */
function resourceOf(path: string): string {
  return /^\/v\d+\/([a-z_]+)/.exec(path)?.[1] ?? 'other';
}

/** Stripe answers parallel work on one object with the same status (stripe-facts 3.10): no matter of pace. */
const ABOUT_ONE_OBJECT = 'resource-specific';

export function createLimitedHttp(
  budget: RequestBudget,
  perSecond: number,
  plain: HttpClient = createStripeHttp(),
): HttpClient {
  const endpointRate = endpointPace(perSecond);
  const makeRequest: HttpClient['makeRequest'] = async (...request) => {
    const [, , path, method, headers] = request;
    const account = accountOf(headers);
    const urgency = method === 'GET' ? (isBackfill() ? 'backfill' : 'read') : 'payment';
    const endpoint = `${account} ${method} ${endpointOf(path)}`;
    await budget.acquire(endpoint, endpointRate, urgency);
    await budget.acquire(account, perSecond, urgency);
    const response = await plain.makeRequest(...request);
    if (response.getStatusCode() === 429 && reasonOf(response.getHeaders()) !== ABOUT_ONE_OBJECT) {
      await budget.slowDown(endpoint, endpointRate);
      await budget.slowDown(account, perSecond);
    }
    return response;
  };
  return Object.assign(Object.create(plain), { makeRequest });
}

function accountOf(headers: object): string {
  const given = Object.entries(headers).find(([name]) => name.toLowerCase() === 'stripe-account')?.[1];
  return given ? String(given) : OWN_ACCOUNT;
}

function reasonOf(headers: object): unknown {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'stripe-rate-limited-reason')?.[1];
}

/** The path without query and object id. */
export function endpointOf(path: string): string {
  const [plain = ''] = path.split('?');
  return plain.replace(/^(\/v\d+\/[^/]+)\/[^/]+/, '$1/:id');
}
