/** Every request of the SDK, its repeats included, waits for the budget; a refusal for too many lowers the pace. */
import Stripe from 'stripe';
import { OWN_ACCOUNT } from '../../config/account.ts';
import { endpointPace } from '../../config/stripe-settings.ts';
import { isBackfill, type RequestBudget } from '../request-budget.ts';
import type { HttpClient } from './measured-http.ts';

/** Stripe refuses parallel work on one object with the same status (stripe-facts 3.10): that is no matter of pace. */
const ABOUT_ONE_OBJECT = 'resource-specific';

export function createLimitedHttp(
  budget: RequestBudget,
  perSecond: number,
  plain: HttpClient = Stripe.createNodeHttpClient(),
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

/** Without the object's id and the question. */
export function endpointOf(path: string): string {
  const [plain = ''] = path.split('?');
  return plain.replace(/^(\/v\d+\/[^/]+)\/[^/]+/, '$1/:id');
}
