/** Which permission a restricted key lacks: found from the call that Stripe refused, not from its message. */
import Stripe from 'stripe';
import { messageOf } from '../kit/errors.ts';

/** By path, as the Dashboard calls them; the first that fits. */
const NAMES: readonly (readonly [path: RegExp, name: string])[] = [
  [/^\/v1\/customers\/[^/]+\/sources/, 'Sources'],
  [/^\/v1\/(charges|refunds)/, 'Charges'],
  [/^\/v1\/customers/, 'Customers'],
  [/^\/v1\/(invoices|invoice_payments)/, 'Invoices'],
  [/^\/v1\/subscription/, 'Subscriptions'],
  [/^\/v1\/payment_methods/, 'Payment Methods'],
  [/^\/v1\/payment_method_configurations/, 'Payment Method Configurations'],
  [/^\/v1\/setup_intents/, 'Setup Intents'],
  [/^\/v1\/events/, 'Events'],
  [/^\/v1\/prices/, 'Prices'],
  [/^\/v1\/products/, 'Products'],
  [/^\/v1\/payment_intents/, 'Payment Intents'],
  [/^\/v1\/billing_portal/, 'Customer portal'],
];
const REMEMBERED = 500;

/** Listens to what Stripe answers, because its error does not say what was asked. */
export function createPermissionNames(stripe: Stripe) {
  const refused = new Map<string, string>();
  stripe.on('response', (answer: Stripe.ResponseEvent) => {
    const { status, request_id: request, method = 'GET', path = '' } = answer;
    if (status !== 403 || request === undefined) return;
    refused.set(request, namePermission(method, path));
    const [oldest] = refused.keys();
    if (refused.size > REMEMBERED && oldest !== undefined) refused.delete(oldest);
  });

  /** `permission` (`Charges (read)`) is absent where another matter stands against the key. */
  return (error: unknown): { message: string; permission?: string } => {
    const message = messageOf(error);
    const isLacking =
      error instanceof Stripe.errors.StripePermissionError && error.code !== 'account_invalid';
    const permission = isLacking ? refused.get(error.requestId ?? '') : undefined;
    return { message, ...(permission === undefined ? {} : { permission }) };
  };
}

/** `Charges (read)`; the path itself where it is not known. */
export function namePermission(method: string, path: string): string {
  const [, name = path.split('?')[0]] = NAMES.find(([pattern]) => pattern.test(path)) ?? [];
  return `${name} (${method === 'GET' ? 'read' : 'write'})`;
}
