import type Stripe from 'stripe';
import { accepts, declines } from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { startReceiver } from '../../support/http/event-receiver.ts';
import { errorOf, startTestSandbox, subscribe, type TestSandbox } from './start-test-sandbox.ts';

const EVALUATIONS = '/v2/signals/payment_retry_evaluations';
const PREVIEW = { apiVersion: '2026-08-26.preview' };

let test: TestSandbox;
beforeEach(async () => {
  test = await startTestSandbox({ retrySignal: true });
});
afterEach(() => test.stop());

const post = (path: string, params: object, options: Stripe.RequestOptions = PREVIEW) =>
  test.stripe.rawRequest('POST', path, { ...params }, options);

function failedPayment(code = 'insufficient_funds') {
  const { subscription } = subscribe(test.sandbox, declines(code));
  const invoice = test.sandbox.renewNow(subscription.id);
  const [payment] = test.sandbox.state.invoicePayments.newestFirst({ index: 'invoice', key: invoice.id });
  return { invoice, intent: payment?.payment.payment_intent ?? '' };
}

describe('Smart Retries Signal (stripe-facts 4.6)', () => {
  it('a failed card payment is evaluated once, and a recommendation is told without its object', async () => {
    const { invoice, intent } = failedPayment();
    const receiver = await startReceiver();
    await test.stripe.v2.core.eventDestinations.create({
      name: 'x',
      type: 'webhook_endpoint',
      event_payload: 'thin',
      enabled_events: ['*'],
      webhook_endpoint: { url: receiver.url },
    });
    await test.stripe.webhookEndpoints.create({ url: `${receiver.url}/snapshots`, enabled_events: ['*'] });
    const evaluation = await post(EVALUATIONS, { payment_intent: intent });
    expect(evaluation).toMatchObject({ status: 'monitoring', payment_intent: intent, latest_signal: null });
    expect(await errorOf(post(EVALUATIONS, { payment_intent: intent }))).toMatchObject({
      rawType: 'already_exists',
    });
    test.sandbox.recommendRetry(invoice.id, 'wait');
    test.sandbox.recommendRetry(invoice.id, 'retry_now', 'Approvals are likely.');
    await test.sandbox.run();
    const told = receiver.received
      .map(({ body }) => JSON.parse(body))
      .filter(({ type }) => String(type).startsWith('v2.'));
    expect(told).toMatchObject([
      {
        object: 'v2.core.event',
        type: 'v2.signals.payment_retry_evaluations.retry_recommended',
        related_object: null,
      },
    ]);
    expect(told[0]).not.toHaveProperty('data');
    const event = await test.stripe.rawRequest('GET', `/v2/core/events/${told[0].id}`, {}, PREVIEW);
    expect(event).toMatchObject({ data: { id: Reflect.get(evaluation, 'id'), payment_intent: intent } });
    await receiver.stop();
  });

  it('a payment that succeeded, or was declined for good, cannot be evaluated', async () => {
    const { intent } = failedPayment('stolen_card');
    expect(await errorOf(post(EVALUATIONS, { payment_intent: intent }))).toMatchObject({
      raw: { type: 'cannot_proceed', reason: 'hard_decline' },
    });
    const other = failedPayment();
    test.sandbox.payAsCustomer(other.invoice.id, accepts());
    expect(await errorOf(post(EVALUATIONS, { payment_intent: other.intent }))).toMatchObject({
      raw: { reason: 'payment_not_failed' },
    });
  });

  it('an evaluation ends by itself once its payment succeeds, and cannot be canceled then', async () => {
    const { invoice, intent } = failedPayment();
    const evaluation = await post(EVALUATIONS, { payment_intent: intent });
    const path = `${EVALUATIONS}/${Reflect.get(evaluation, 'id')}`;
    expect(await test.stripe.rawRequest('GET', path, {}, PREVIEW)).toMatchObject({ status: 'monitoring' });
    test.sandbox.payAsCustomer(invoice.id, accepts());
    expect(await test.stripe.rawRequest('GET', path, {}, PREVIEW)).toMatchObject({ status: 'completed' });
    expect(await errorOf(post(`${path}/cancel`, {}))).toMatchObject({ raw: { type: 'cannot_proceed' } });
  });

  it('the preview is there in its version and for accounts with access alone', async () => {
    const { intent } = failedPayment();
    expect(await errorOf(post(EVALUATIONS, { payment_intent: intent }, {}))).toMatchObject({
      statusCode: 404,
    });
    await test.stop();
    test = await startTestSandbox();
    expect(await errorOf(post(EVALUATIONS, { payment_intent: failedPayment().intent }))).toMatchObject({
      statusCode: 403,
      raw: { type: 'feature_not_enabled' },
    });
  });
});
