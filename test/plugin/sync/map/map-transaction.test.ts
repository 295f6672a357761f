import fc from 'fast-check';
import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { transactionMessage } from '../../../../src/core/contract/contract.ts';
import { describeReason } from '../../../../src/plugin/operator/text/describe-reason.ts';
import { mapTransaction } from '../../../../src/plugin/sync/map/map-transaction.ts';
import { runs } from '../../../support/runner/full-run.ts';
import { buildCard, buildCharge, buildOutcome } from '../../../support/stripe/charge-objects.ts';
import { asWebhookPayload } from '../../../support/stripe/stripe-objects.ts';
import { mutate, mutations } from './mutate.ts';

const context = {
  invoiceId: 'in_1Basic',
  subscriptionId: 'sub_1Basic',
  customerId: 'cus_1Ada',
  gatewayId: 'acct_1Shop',
  observedAt: DateTime.fromISO('2026-11-20T12:34:56.789Z', { zone: 'utc' }),
};
const map = (overrides: Partial<Stripe.Charge> = {}) => mapTransaction(buildCharge(overrides), context);

const accepted = buildOutcome({
  type: 'authorized',
  network_status: 'approved_by_network',
  reason: null,
  seller_message: 'Payment complete.',
});

describe('mapTransaction', () => {
  it('mapTransaction marks a failure with a method that is not charged next', () => {
    const other = mapTransaction(buildCharge(), { ...context, isOtherMethod: true });
    expect(other).toMatchObject({ message: { isOtherMethod: true } });
    expect(map()).not.toHaveProperty('message.isOtherMethod');
  });

  it('mapTransaction gives the whole message of a declined card', () => {
    expect(map()).toStrictEqual({
      kind: 'message',
      message: {
        id: 'ch_1Basic',
        paymentGatewayTransactionId: 'ch_1Basic',
        state: 'TRANSACTION_STATE_FAILED',
        customerId: 'cus_1Ada',
        subscriptionId: 'sub_1Basic',
        invoiceId: 'in_1Basic',
        amount: 2000,
        currency: 'USD',
        createdAt: '2026-11-01T01:01:40Z',
        updatedAt: '2026-11-20T12:34:56Z',
        paymentMethodType: 'card',
        paymentGatewayId: 'acct_1Shop',
        paymentGatewayName: 'stripe',
        paymentGatewayType: 'STRIPE',
        paymentGatewayStatus: 'declined_by_network',
        paymentGatewayErrorCode: 'insufficient_funds',
        paymentGatewayErrorMessage: 'The bank returned the decline code `insufficient_funds`.',
        cardBrand: 'visa',
        cardFingerprint: 'Xt5EWLLDS7FJjR1c',
        cardCountry: 'US',
        cardFunding: 'credit',
        cardExpiry: '2030-12',
        paymentGatewayAdviceCode: 'try_again_later',
        networkDeclineCode: '51',
      },
      warnings: [],
    });
  });

  it('mapTransaction reports what the network advised, and leaves out what is too long to be a code', () => {
    const message = (outcome: Parameters<typeof buildOutcome>[0]) => map({ outcome: buildOutcome(outcome) });
    expect(message({ network_advice_code: '26' })).toMatchObject({ message: { networkAdviceCode: '26' } });
    const odd = message({ network_decline_code: 'x'.repeat(65) });
    expect(odd).toMatchObject({ kind: 'message' });
    expect(odd).not.toHaveProperty('message.networkDeclineCode');
  });

  it('mapTransaction gives a paid charge no error', () => {
    const mapped = map({ status: 'succeeded', failure_code: null, failure_message: null, outcome: accepted });
    expect(mapped).toMatchObject({
      message: { state: 'TRANSACTION_STATE_PAID', paymentGatewayStatus: 'approved_by_network' },
    });
    expect(mapped).not.toHaveProperty('message.paymentGatewayErrorCode');
    expect(mapped).not.toHaveProperty('message.paymentGatewayErrorMessage');
  });

  it.each<[string, Partial<Stripe.Charge>, string, string]>([
    [
      'a block by Stripe names its rule',
      {
        outcome: buildOutcome({
          type: 'blocked',
          reason: 'previously_declined_do_not_retry',
          network_status: 'not_sent_to_network',
        }),
      },
      'previously_declined_do_not_retry',
      'not_sent_to_network',
    ],
    ['without an outcome the failure code counts', { outcome: null }, 'card_declined', 'failed'],
    [
      'without a reason the failure code counts',
      { outcome: buildOutcome({ type: 'invalid', reason: null }), failure_code: 'expired_card' },
      'expired_card',
      'declined_by_network',
    ],
    [
      'a debit that failed after its acceptance',
      {
        outcome: accepted,
        failure_code: 'insufficient_funds',
        payment_method_details: { type: 'sepa_debit' },
      },
      'insufficient_funds',
      'failed',
    ],
  ])(
    'mapTransaction tells the error code and status of a failed charge: %s',
    (_name, overrides, paymentGatewayErrorCode, paymentGatewayStatus) => {
      expect(map(overrides)).toMatchObject({ message: { paymentGatewayErrorCode, paymentGatewayStatus } });
    },
  );

  it('mapTransaction reports the failure message of a debit, not that its payment was complete', () => {
    const mapped = map({ outcome: accepted, failure_message: 'No funds.' });
    expect(mapped).toMatchObject({ message: { paymentGatewayErrorMessage: 'No funds.' } });
  });

  it('mapTransaction cuts a long message and cleans it', () => {
    const mapped = map({ outcome: buildOutcome({ seller_message: `\u0000${'x'.repeat(3000)}` }) });
    expect(mapped).toMatchObject({ message: { paymentGatewayErrorMessage: 'x'.repeat(2000) } });
  });

  it('mapTransaction cuts a long message at its end only', () => {
    const mapped = map({ outcome: buildOutcome({ seller_message: `🛒${'x'.repeat(3000)}` }) });
    expect(mapped).toMatchObject({ message: { paymentGatewayErrorMessage: `🛒${'x'.repeat(1998)}` } });
  });

  it('mapTransaction cuts a long message before a character that does not fit whole', () => {
    const mapped = map({ outcome: buildOutcome({ seller_message: `${'x'.repeat(1999)}🛒` }) });
    expect(mapped).toMatchObject({ message: { paymentGatewayErrorMessage: 'x'.repeat(1999) } });
  });

  it('mapTransaction leaves out what the service can do without', () => {
    const card = buildCard({ brand: 'b'.repeat(65), country: 'x'.repeat(9) });
    const mapped = map({ payment_method_details: { type: 't'.repeat(65), card } });
    expect(mapped).toMatchObject({
      kind: 'message',
      message: { paymentMethodType: 't'.repeat(64) },
      warnings: [
        { code: 'field_left_out', field: 'cardBrand' },
        { code: 'field_left_out', field: 'cardCountry' },
      ],
    });
  });

  it('mapTransaction calls a missing payment method unknown', () => {
    expect(map({ payment_method_details: null })).toMatchObject({
      message: { paymentMethodType: 'unknown' },
    });
  });

  it.each([
    ['pending', 'no_message'],
    ['levitating', 'unmappable'],
  ])('mapTransaction gives no message for the status %s', (status, kind) => {
    expect(map({ status })).toMatchObject({ kind });
  });

  it('mapTransaction says why there is no message', () => {
    const unreadable = { code: 'unreadable_object', problem: expect.stringMatching(/\w/) };
    expect([map({ status: 'levitating' }), map({ currency: '' }), map({ id: 'c'.repeat(300) })]).toEqual([
      {
        kind: 'unmappable',
        reason: { code: 'unknown_status', object: 'charge', status: 'levitating' },
      },
      { kind: 'unmappable', reason: unreadable },
      { kind: 'unmappable', reason: unreadable },
    ]);
  });

  it('mapTransaction tells no expiry of which a half is missing', () => {
    const card = asWebhookPayload(buildCard());
    for (const part of ['exp_month', 'exp_year']) {
      const half = { ...card };
      Reflect.deleteProperty(half, part);
      expect(map({ payment_method_details: { type: 'card', card: half } })).not.toHaveProperty(
        'message.cardExpiry',
      );
    }
  });

  it('mapTransaction leaves out a subscription that the invoice does not have', () => {
    const mapped = mapTransaction(buildCharge(), { ...context, subscriptionId: undefined });
    expect(Object.keys(mapped.kind === 'message' ? mapped.message : {})).not.toContain('subscriptionId');
  });

  it('mapTransaction never throws, and every message fits the schema', () => {
    const charge = asWebhookPayload(buildCharge());
    fc.assert(
      fc.property(mutations, (list) => {
        const mapped = mapTransaction(mutate(charge, list), context);
        if (mapped.kind === 'message')
          expect(transactionMessage.safeParse(mapped.message).success).toBe(true);
        else if (mapped.kind === 'unmappable') expect(describeReason(mapped.reason)).not.toBe('');
      }),
      { numRuns: runs(2000) },
    );
  });
});
