import fc from 'fast-check';
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { subscriptionMessage } from '../../../../src/core/contract/contract.ts';
import { describeReason } from '../../../../src/plugin/operator/text/describe-reason.ts';
import { mapSubscription, readEnding } from '../../../../src/plugin/sync/map/map-subscription.ts';
import { runs } from '../../../support/runner/full-run.ts';
import {
  asWebhookPayload,
  buildItem,
  buildItems,
  buildPrice,
  buildSubscription,
  buildTier,
  CREATED,
} from '../../../support/stripe/stripe-objects.ts';
import { mutate, mutations } from './mutate.ts';

const context = {
  observedAt: DateTime.fromISO('2026-11-20T12:34:56.789Z', { zone: 'utc' }),
  businessEntity: 'Example Ltd',
};
const DAY = 86_400;
const ACTIVE = 'SUBSCRIPTION_STATE_ACTIVE';
const CANCELED = 'SUBSCRIPTION_STATE_CANCELED';

const map = (overrides: Partial<Stripe.Subscription> = {}) =>
  mapSubscription(buildSubscription(overrides), context);

/** The message of a subscription that has one. */
function messageOf(overrides: Partial<Stripe.Subscription> = {}) {
  const mapped = map(overrides);
  if (mapped.kind !== 'message') throw new Error(JSON.stringify(mapped));
  return mapped.message;
}

const every = (interval: string, interval_count = 1, usage_type = 'licensed'): Stripe.Price.Recurring => ({
  interval,
  interval_count,
  meter: null,
  trial_period_days: null,
  usage_type,
});

function item(id: string, price: Partial<Stripe.Price>, overrides: Partial<Stripe.SubscriptionItem> = {}) {
  return buildItem({ id, price: buildPrice({ id: `price_${id}`, ...price }), ...overrides });
}

describe('mapSubscription', () => {
  it('mapSubscription reports that collection is paused, and until when', () => {
    const paused = (pause: Stripe.Subscription.PauseCollection | null) => map({ pause_collection: pause });
    expect(paused({ behavior: 'void', resumes_at: 1_800_000_000 })).toMatchObject({
      message: { isCollectionPaused: true, collectionResumesAt: '2027-01-15T08:00:00Z' },
    });
    const open = paused({ behavior: 'void', resumes_at: null });
    expect(open).toMatchObject({ message: { isCollectionPaused: true } });
    expect(open).not.toHaveProperty('message.collectionResumesAt');
    expect(paused(null)).not.toHaveProperty('message.isCollectionPaused');
  });

  it('mapSubscription reports that somebody asked for its end', () => {
    const asked = [
      map({ cancel_at_period_end: true }),
      map({ cancel_at: CREATED + DAY }),
      map({ cancel_at: CREATED + DAY, cancel_at_period_end: true }),
    ];
    for (const one of asked) expect(one).toMatchObject({ message: { isCancelRequested: true } });
  });

  it('mapSubscription gives the whole message of an ordinary subscription', () => {
    expect(map()).toStrictEqual({
      kind: 'message',
      message: {
        id: 'sub_1Basic',
        state: ACTIVE,
        customerId: 'cus_1Ada',
        businessEntity: 'Example Ltd',
        planId: 'price_1Basic',
        amount: 2000,
        currency: 'USD',
        createdAt: '2026-11-01T00:00:00Z',
        updatedAt: '2026-11-20T12:34:56Z',
        activatedAt: '2026-11-01T00:00:00Z',
        expiresAt: '2026-12-01T00:00:00Z',
        billingPeriod: 1,
        billingPeriodUnit: 'BILLING_PERIOD_UNIT_MONTH',
        renewsAt: '2026-12-01T00:00:00Z',
      },
      warnings: [],
    });
  });

  it('mapSubscription reads an API answer and a webhook payload alike', () => {
    const subscription = buildSubscription();
    expect(mapSubscription(asWebhookPayload(subscription), context)).toEqual(
      mapSubscription(subscription, context),
    );
  });

  it.each([
    ['trialing', ACTIVE],
    ['active', ACTIVE],
    ['past_due', ACTIVE],
    ['unpaid', ACTIVE],
    ['paused', ACTIVE],
    ['canceled', CANCELED],
    ['incomplete_expired', CANCELED],
  ])('mapSubscription maps the status %s to %s', (status, state) => {
    expect(map({ status })).toMatchObject({ kind: 'message', message: { state }, warnings: [] });
  });

  it('mapSubscription holds back a subscription while it is incomplete', () => {
    expect(map({ status: 'incomplete' })).toMatchObject({ kind: 'held_back' });
  });

  it.each([
    [null, ACTIVE],
    [CREATED, CANCELED],
  ])('mapSubscription takes an unknown status with ended_at %p as %s, with a warning', (ended_at, state) => {
    const mapped = map({ status: 'hibernating', ended_at });
    expect(mapped).toMatchObject({
      message: { state },
      warnings: [{ code: 'unknown_status', status: 'hibernating', takenAs: state }],
    });
  });
});

describe('times', () => {
  it.each<[string, Partial<Stripe.Subscription>, Record<string, unknown>]>([
    [
      'a scheduled cancellation expires at cancel_at and is not canceled yet',
      { cancel_at: CREATED + DAY, canceled_at: CREATED, cancel_at_period_end: true },
      { state: ACTIVE, expiresAt: '2026-11-02T00:00:00Z', canceledAt: undefined },
    ],
    [
      'a canceled one was canceled at the request and expired at the end',
      { status: 'canceled', canceled_at: CREATED, ended_at: CREATED + DAY, cancel_at: CREATED + 9 * DAY },
      { canceledAt: '2026-11-01T00:00:00Z', expiresAt: '2026-11-02T00:00:00Z' },
    ],
    [
      'without a request the end counts as the cancellation',
      { status: 'incomplete_expired', ended_at: CREATED + DAY },
      { canceledAt: '2026-11-02T00:00:00Z', expiresAt: '2026-11-02T00:00:00Z' },
    ],
    ['a canceled one without an end has no expiry', { status: 'canceled' }, { expiresAt: undefined }],
    [
      'a backdated start is the activation',
      { start_date: CREATED - DAY },
      { activatedAt: '2026-10-31T00:00:00Z' },
    ],
    [
      'a trial is an active subscription',
      { status: 'trialing', trial_start: CREATED, trial_end: CREATED + DAY },
      { state: ACTIVE, expiresAt: '2026-12-01T00:00:00Z' },
    ],
    [
      'a paused collection changes nothing',
      { pause_collection: { behavior: 'void', resumes_at: null } },
      { state: ACTIVE, amount: 2000 },
    ],
  ])('mapSubscription tells the times of a subscription: %s', (_name, overrides, expected) => {
    const absent = { canceledAt: undefined, expiresAt: undefined };
    expect({ ...absent, ...messageOf(overrides) }).toMatchObject(expected);
  });
});

describe('items', () => {
  it('mapSubscription takes the interval that renews most often, whatever the others cost', () => {
    const yearly = { unit_amount: 30_000, recurring: every('year') };
    const data = [
      item('year', yearly, { current_period_end: CREATED + 365 * DAY }),
      item('month', { unit_amount: 5000 }),
      item('weeks', { unit_amount: 4000, recurring: every('week', 5) }),
    ];
    expect(messageOf({ items: buildItems(data) })).toMatchObject({
      amount: 5000,
      planId: 'price_month',
      billingPeriodUnit: 'BILLING_PERIOD_UNIT_MONTH',
      expiresAt: '2026-12-01T00:00:00Z',
      renewsAt: '2026-12-01T00:00:00Z',
    });
  });

  it('mapSubscription adds up the items of the primary period and leaves the others out', () => {
    const data = [
      item(
        'year',
        { unit_amount: 9000, recurring: every('year') },
        { current_period_end: CREATED + 365 * DAY },
      ),
      item('other_year', { unit_amount: 100, recurring: every('year') }),
      item('two_years', { unit_amount: 8000, recurring: every('year', 2) }),
      item('meter', { unit_amount: 77, recurring: every('year', 1, 'metered') }),
    ];
    expect(messageOf({ items: buildItems(data) })).toMatchObject({
      amount: 9100,
      planId: 'price_year',
      billingPeriod: 1,
      billingPeriodUnit: 'BILLING_PERIOD_UNIT_YEAR',
      expiresAt: '2027-11-01T00:00:00Z',
    });
  });

  it('mapSubscription rounds the amount once, after adding the items', () => {
    const half = { unit_amount: null, unit_amount_decimal: Stripe.Decimal.from('0.5') };
    expect(messageOf({ items: buildItems([item('a', half), item('b', half)]) }).amount).toBe(1);
  });

  it.each<[string, Stripe.SubscriptionItem[], string]>([
    [
      'the older item',
      [item('a', {}, { created: CREATED }), item('b', {}, { created: CREATED - 1 })],
      'price_b',
    ],
    ['the smaller id', [item('b', {}), item('a', {})], 'price_a'],
    ['metered items', [item('b', metered(), { quantity: 0 }), item('a', metered())], 'price_a'],
  ])('mapSubscription settles a tie between items by %s', (_name, data, planId) => {
    expect(messageOf({ items: buildItems(data) })).toMatchObject({ planId });
    expect(messageOf({ items: buildItems(data.toReversed()) })).toMatchObject({ planId });
  });

  it('mapSubscription gives the amount 0 when every item is metered', () => {
    expect(map({ items: buildItems([item('a', metered())]) })).toMatchObject({
      message: { amount: 0, planId: 'price_a' },
      warnings: [],
    });
  });

  it('mapSubscription warns of a credit, and of an item that does not recur', () => {
    const data = [item('a', { unit_amount: -5 }), item('b', { recurring: null })];
    expect(map({ items: buildItems(data) })).toMatchObject({
      message: { amount: -5 },
      warnings: [
        { code: 'item_not_recurring', itemId: 'b' },
        { code: 'amount_negative', amount: -5 },
      ],
    });
  });

  it('mapSubscription prefers the larger amount to the older item', () => {
    const data = [
      item('a', { unit_amount: 1 }, { created: CREATED - 9 }),
      item('b', { unit_amount: 2 }, { created: CREATED }),
      item('c', { unit_amount: 2 }),
    ];
    for (const one of data) if (one.id === 'c') Reflect.deleteProperty(one, 'created');
    for (const order of [data, data.toReversed()])
      expect(messageOf({ items: buildItems(order) }).planId).toBe('price_b');
  });

  it.each([
    ['day', 30, 'BILLING_PERIOD_UNIT_DAY'],
    ['week', 2, 'BILLING_PERIOD_UNIT_WEEK'],
    ['month', 3, 'BILLING_PERIOD_UNIT_MONTH'],
    ['year', 1, 'BILLING_PERIOD_UNIT_YEAR'],
  ])('mapSubscription names the billing period %s x %d', (interval, count, billingPeriodUnit) => {
    const items = buildItems([item('a', { recurring: every(interval, count) })]);
    expect(messageOf({ items })).toMatchObject({ billingPeriod: count, billingPeriodUnit });
  });

  it.each(['usd', 'jpy', 'isk', 'clp'])(
    'mapSubscription passes the minor units of %s through',
    (currency) => {
      const items = buildItems([item('a', { currency, unit_amount: 1200 }, { quantity: 2 })]);
      expect(messageOf({ currency, items })).toMatchObject({
        amount: 2400,
        currency: currency.toUpperCase(),
      });
    },
  );

  it.each<[string, Partial<Stripe.Subscription>, string]>([
    ['more pages of items', { items: buildItems([buildItem()], true) }, 'incomplete_object'],
    [
      'unexpanded tiers',
      { items: buildItems([item('a', { billing_scheme: 'tiered' })]) },
      'incomplete_object',
    ],
    ['no items', { items: buildItems([]) }, 'unmappable'],
    ['only one-time prices', { items: buildItems([item('a', { recurring: null })]) }, 'unmappable'],
    ['no usable currency', { currency: '' }, 'unmappable'],
    ['an over-long id', { id: 's'.repeat(256) }, 'unmappable'],
    ['a time beyond the calendar', { created: 1e15 }, 'unmappable'],
    [
      'a sum beyond exact integers',
      { items: buildItems([item('a', { unit_amount: Number.MAX_SAFE_INTEGER }, { quantity: 2 })]) },
      'unmappable',
    ],
  ])('mapSubscription gives a named reason for %s', (_name, overrides, kind) => {
    expect(map(overrides)).toMatchObject({ kind, reason: { code: expect.stringMatching(/\w/) } });
  });

  it('mapSubscription names the reason', () => {
    const tooMuch = item('a', { unit_amount: Number.MAX_SAFE_INTEGER }, { quantity: 2 });
    const noList = asWebhookPayload(buildSubscription());
    Reflect.set(noList.items, 'data', null);
    const reasons = [
      map({ items: buildItems([tooMuch]) }),
      map({ items: buildItems([item('a', { recurring: null })]) }),
      map({ items: buildItems([buildItem()], true) }),
      mapSubscription(noList, context),
    ];
    expect(reasons).toEqual([
      { kind: 'unmappable', reason: { code: 'amount_too_large' } },
      { kind: 'unmappable', reason: { code: 'no_recurring_price' } },
      { kind: 'incomplete_object', reason: { code: 'items_missing' } },
      { kind: 'unmappable', reason: { code: 'no_items' } },
    ]);
  });
});

describe('businessEntity', () => {
  it.each<[string, Stripe.Metadata, string]>([
    ['the metadata', { business_entity: 'Example GmbH' }, 'Example GmbH'],
    ['the metadata without control characters', { business_entity: ' A\u0000B\ud800 ' }, 'A B'],
    ['the setting, when the metadata is blank', { business_entity: ' \n' }, 'Example Ltd'],
  ])('businessEntity comes from %s', (_name, metadata, businessEntity) => {
    expect(messageOf({ metadata })).toMatchObject({ businessEntity });
  });

  it('businessEntity is cut when it is too long for the service, with a warning and without half a character', () => {
    const mapped = map({ metadata: { business_entity: `${'x'.repeat(254)}🛒🛒` } });
    expect(mapped).toMatchObject({
      kind: 'message',
      message: { businessEntity: 'x'.repeat(254) },
      warnings: [{ code: 'metadata_cut', key: 'business_entity', characters: 258, kept: 255 }],
    });
  });

  it('businessEntity is kept whole at the length that the service takes', () => {
    const business_entity = 'x'.repeat(255);
    expect(map({ metadata: { business_entity } })).toMatchObject({
      message: { businessEntity: business_entity },
      warnings: [],
    });
  });

  it('businessEntity is cut where it is the name of the account', () => {
    const mapped = mapSubscription(buildSubscription(), { ...context, businessEntity: 'y'.repeat(300) });
    expect(mapped).toMatchObject({ message: { businessEntity: 'y'.repeat(255) }, warnings: [] });
  });
});

describe('customerId', () => {
  it('customerId is read from an id and from an expanded customer', () => {
    expect(messageOf({ customer: { id: 'cus_2', object: 'customer', deleted: true } }).customerId).toBe(
      'cus_2',
    );
  });

  it('customerId falls back on the account that plays the customer', () => {
    const subscription = buildSubscription({ customer_account: 'acct_9' });
    Reflect.set(subscription, 'customer', null);
    expect(mapSubscription(subscription, context)).toMatchObject({ message: { customerId: 'acct_9' } });
  });
});

describe('what the service can do without', () => {
  const price = (changes: Partial<Stripe.Price>) => ({ items: buildItems([item('a', changes)]) });
  it.each<[string, Partial<Stripe.Subscription>, string]>([
    ['a NUL in a price id', price({ id: 'gold\u0000' }), 'planId'],
    ['half a character in a price id', price({ id: 'gold\ud83d' }), 'planId'],
    ['an over-long price id', price({ id: 'p'.repeat(256) }), 'planId'],
    ['a start beyond the calendar', { start_date: 1e15 }, 'activatedAt'],
    ['a period that ends beyond it', { cancel_at: 1e15 }, 'expiresAt'],
    [
      'a pause that ends beyond it',
      { pause_collection: { behavior: 'void', resumes_at: 1e15 } },
      'collectionResumesAt',
    ],
  ])('mapSubscription leaves %s out of the message, with a warning', (_name, overrides, field) => {
    const mapped = map(overrides);
    expect(mapped).toMatchObject({ kind: 'message', warnings: [{ code: 'field_left_out', field }] });
    expect(mapped).not.toHaveProperty(`message.${field}`);
  });

  it('mapSubscription leaves out a unit of billing that cannot be written, with its number', () => {
    const mapped = map(price({ recurring: every('lunar-month') }));
    expect(mapped).toMatchObject({
      kind: 'message',
      warnings: [{ code: 'unknown_interval', interval: 'lunar-month' }],
    });
    expect(mapped).not.toHaveProperty('message.billingPeriod');
    expect(mapped).not.toHaveProperty('message.billingPeriodUnit');
  });
});

describe('any object', () => {
  const tiers = [buildTier({ up_to: 5, flat_amount: 100 }), buildTier({ unit_amount: 10 })];
  const rich = asWebhookPayload(
    buildSubscription({
      metadata: { business_entity: 'Example GmbH' },
      cancel_at: CREATED + DAY,
      items: buildItems([
        item('a', { transform_quantity: { divide_by: 3, round: 'up' } }, { quantity: 7 }),
        item('b', { billing_scheme: 'tiered', tiers_mode: 'graduated', unit_amount: null, tiers }),
        item('c', {
          currency: 'eur',
          currency_options: {
            usd: { ...buildTier(), custom_unit_amount: null, tax_behavior: null, unit_amount: 9 },
          },
        }),
      ]),
    }),
  );

  it('mapSubscription gives any object a message that fits the schema or a named reason, never an exception', () => {
    expect(mapSubscription(rich, context).kind).toBe('message');
    const kinds = new Set<string>();
    fc.assert(
      fc.property(mutations, (list) => {
        const mapped = mapSubscription(mutate(rich, list), context);
        kinds.add(mapped.kind);
        if (mapped.kind === 'message')
          expect(subscriptionMessage.safeParse(mapped.message).success).toBe(true);
        else if (mapped.kind !== 'held_back') expect(describeReason(mapped.reason)).not.toBe('');
      }),
      { numRuns: runs(5000) },
    );
    expect(kinds).toContain('message');
    expect(kinds).toContain('unmappable');
  });

  it.each(['null', '"sub_1"', '[]', '{}', '5'])(
    'mapSubscription gives a reason for an object that is no subscription at all: %s',
    (json) => {
      expect(mapSubscription(JSON.parse(json), context)).toMatchObject({
        kind: 'unmappable',
        reason: { code: 'unreadable_object' },
      });
    },
  );

  it('mapSubscription copes with an object that lacks any one of its parts', () => {
    for (const key of Object.keys(rich)) {
      const copy = asWebhookPayload(rich);
      Reflect.deleteProperty(copy, key);
      const isNeeded = ['id', 'status', 'customer', 'currency', 'created', 'items'].includes(key);
      expect([key, mapSubscription(copy, context).kind]).toEqual([key, isNeeded ? 'unmappable' : 'message']);
    }
  });
});

describe('readEnding', () => {
  const time = fc.option(fc.integer({ min: CREATED, max: CREATED + 99 * DAY }));
  const ended = fc.record({
    status: fc.constantFrom('canceled', 'incomplete_expired'),
    canceled_at: time,
    ended_at: time,
  });

  it('readEnding, laid over the message of a running subscription, is the message of the ended one', () => {
    fc.assert(
      fc.property(ended, (parts) => {
        const over = { ...messageOf(), ...readEnding(buildSubscription(parts)) };
        const told = Object.entries(over).filter(([, value]) => value !== null);
        expect(Object.fromEntries(told)).toEqual(messageOf(parts));
      }),
    );
  });

  it('readEnding needs no items and no prices, and is nothing while the subscription goes on', () => {
    const bare = asWebhookPayload(buildSubscription({ status: 'canceled', ended_at: CREATED }));
    Reflect.deleteProperty(bare, 'items');
    expect(readEnding(bare)?.state).toBe(CANCELED);
    expect(readEnding(buildSubscription({ canceled_at: CREATED, cancel_at: CREATED + DAY }))).toBeUndefined();
    expect(readEnding(JSON.parse('null'))).toBeUndefined();
  });
});

function metered(): Partial<Stripe.Price> {
  return { recurring: every('month', 1, 'metered') };
}
