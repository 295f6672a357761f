import fc from 'fast-check';
import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { invoiceMessage } from '../../../../src/core/contract/contract.ts';
import { describeReason } from '../../../../src/plugin/operator/text/describe-reason.ts';
import { mapInvoice } from '../../../../src/plugin/sync/map/map-invoice.ts';
import { runs } from '../../../support/runner/full-run.ts';
import { asWebhookPayload, buildInvoice, buildSubscription } from '../../../support/stripe/stripe-objects.ts';
import { mutate, mutations } from './mutate.ts';

const context = {
  observedAt: DateTime.fromISO('2026-11-20T12:34:56.789Z', { zone: 'utc' }),
  businessEntity: 'Example Ltd',
};
const map = (overrides: Partial<Stripe.Invoice> = {}) => mapInvoice(buildInvoice(overrides), context);

describe('mapInvoice', () => {
  it('mapInvoice gives the whole message of an open invoice', () => {
    expect(map()).toStrictEqual({
      kind: 'message',
      message: {
        id: 'in_1Basic',
        state: 'INVOICE_STATE_UNPAID',
        customerId: 'cus_1Ada',
        subscriptionId: 'sub_1Basic',
        businessEntity: 'Example Ltd',
        amount: 2000,
        currency: 'USD',
        createdAt: '2026-11-01T00:00:00Z',
        updatedAt: '2026-11-20T12:34:56Z',
      },
      warnings: [],
    });
  });

  it.each([
    ['paid', 'INVOICE_STATE_PAID'],
    ['open', 'INVOICE_STATE_UNPAID'],
    ['uncollectible', 'INVOICE_STATE_UNPAID'],
  ])('mapInvoice maps the status %s to %s', (status, state) => {
    expect(map({ status })).toMatchObject({ message: { state } });
  });

  it.each<[string | null, string]>([
    ['draft', 'no_message'],
    ['void', 'no_message'],
    ['frozen', 'unmappable'],
    ['constructor', 'unmappable'],
    [null, 'unmappable'],
  ])('mapInvoice gives no message for the status %p', (status, kind) => {
    expect(map({ status })).toMatchObject({ kind });
  });

  it('mapInvoice names a status that it does not know', () => {
    expect(map({ status: 'frozen' })).toEqual({
      kind: 'unmappable',
      reason: { code: 'unknown_status', object: 'invoice', status: 'frozen' },
    });
  });

  it.each([
    ['send_invoice', 'send_invoice'],
    ['charge_automatically', undefined],
    ['x'.repeat(65), undefined],
  ])('mapInvoice tells the collection method %s as %s', (collection_method, told) => {
    const mapped = map({ collection_method });
    expect(mapped.kind === 'message' && mapped.message.collectionMethod).toBe(told);
  });

  it.each([
    [{ country: 'US', state: 'CA' }, 'America/Los_Angeles'],
    [{ country: 'US', state: null }, 'America/New_York'],
    [{ country: null, state: 'CA' }, undefined],
    [null, undefined],
  ])('mapInvoice tells the zone of the address %j as %s', (place, zone) => {
    const rest = { city: null, line1: null, line2: null, postal_code: null };
    const mapped = map({ customer_address: place && { ...rest, ...place } });
    expect(mapped.kind === 'message' && mapped.message.customerTimeZone).toBe(zone);
  });

  it('mapInvoice names the same sum before and after payment', () => {
    expect(map({ amount_paid: 500, amount_remaining: 1500 })).toMatchObject({
      message: { amount: 2000, amountRemaining: 1500 },
    });
    const paid = map({ status: 'paid', amount_paid: 2000, amount_remaining: 0 });
    expect(paid).toMatchObject({ message: { amount: 2000 } });
    for (const whole of [paid, map()]) expect(whole).not.toHaveProperty('message.amountRemaining');
  });

  it('mapInvoice reads an expanded subscription, and lives without one', () => {
    const details = { metadata: null, subscription: buildSubscription({ id: 'sub_2' }) };
    const parent = { quote_details: null, subscription_details: details, type: 'subscription_details' };
    expect(map({ parent })).toMatchObject({ message: { subscriptionId: 'sub_2' } });
    expect(map({ parent: null })).toMatchObject({
      message: expect.not.objectContaining({ subscriptionId: 'sub_1Basic' }),
    });
  });

  it('mapInvoice leaves out what the service can do without, and cuts a name', () => {
    const details = { metadata: null, subscription: 'sub_\u0000' };
    const parent = { quote_details: null, subscription_details: details, type: 'subscription_details' };
    const mapped = mapInvoice(buildInvoice({ parent }), { ...context, businessEntity: 'é'.repeat(300) });
    expect(mapped).toMatchObject({
      kind: 'message',
      message: { businessEntity: 'é'.repeat(255) },
      warnings: [{ code: 'field_left_out', field: 'subscriptionId' }],
    });
    expect(mapped).not.toHaveProperty('message.subscriptionId');
  });

  it('mapInvoice needs somebody to bill', () => {
    expect(map({ customer: null, customer_account: 'acct_9' })).toMatchObject({
      message: { customerId: 'acct_9' },
    });
    expect(map({ customer: null })).toMatchObject({
      kind: 'unmappable',
      reason: { code: 'unreadable_object', problem: expect.stringContaining('customerId') },
    });
  });

  it('mapInvoice never throws, and every message fits the schema', () => {
    const invoice = asWebhookPayload(buildInvoice());
    fc.assert(
      fc.property(mutations, (list) => {
        const mapped = mapInvoice(mutate(invoice, list), context);
        if (mapped.kind === 'message') expect(invoiceMessage.safeParse(mapped.message).success).toBe(true);
        else if (mapped.kind === 'unmappable') expect(describeReason(mapped.reason)).not.toBe('');
      }),
      { numRuns: runs(2000) },
    );
  });
});
