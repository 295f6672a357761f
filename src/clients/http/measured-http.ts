/** How long Stripe takes to answer, each repeat of the SDK by itself. */
import Stripe from 'stripe';
import type { Measures } from '../../telemetry/measures.ts';
import { inSpan, SpanKind } from '../../telemetry/spans.ts';

export type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

export function createMeasuredHttp(
  measures: Measures,
  plain: HttpClient = Stripe.createNodeHttpClient(),
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
        return { method, resource, status };
      },
    );
  };
  return Object.assign(Object.create(plain), { makeRequest });
}

/** `invoices` of `/v1/invoices/in_…/pay`: few, whatever is asked for. */
function resourceOf(path: string): string {
  return /^\/v\d+\/([a-z_]+)/.exec(path)?.[1] ?? 'other';
}
