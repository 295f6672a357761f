import Stripe from 'stripe';
import { startReceiver } from '../../support/http/event-receiver.ts';
import { errorOf, START, startTestSandbox, subscribe, type TestSandbox } from './start-test-sandbox.ts';

let test: TestSandbox;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeEach(async () => {
  test = await startTestSandbox();
  receiver = await startReceiver();
});
afterEach(async () => {
  await test.stop();
  await receiver.stop();
});

describe('snapshots of older versions (stripe-facts 1.4)', () => {
  /** What an endpoint of that version is sent about a failed renewal, by type. */
  async function failedRenewal(version: string) {
    const { sandbox, stripe } = test;
    const { subscription } = subscribe(sandbox);
    const { id } = await stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: ['*'] });
    Object.assign(sandbox.state.webhookEndpoints.get(id) ?? {}, { api_version: version });
    const invoice = sandbox.renewNow(subscription.id);
    await sandbox.run();
    const events = receiver.received.map(({ body }): Stripe.Event => JSON.parse(body));
    expect(new Set(events.map(({ api_version }) => api_version))).toEqual(new Set([version]));
    const objectOf = (type: string) => events.find((event) => event.type === type)?.data.object;
    return { invoice, subscription, objectOf };
  }

  it('before basil an invoice names its subscription, payment and charge, and a charge its invoice', async () => {
    const { invoice, subscription, objectOf } = await failedRenewal('2024-06-20');
    const shown = objectOf('invoice.payment_failed');
    const charge = objectOf('charge.failed');
    expect(shown).toMatchObject({
      subscription: subscription.id,
      paid: false,
      charge: Reflect.get(charge ?? {}, 'id'),
    });
    expect(shown).toHaveProperty('payment_intent', expect.stringMatching(/^pi_/));
    expect(shown).not.toHaveProperty('parent');
    expect(charge).toMatchObject({ invoice: invoice.id, outcome: { type: 'issuer_declined' } });
    expect(Reflect.get(charge ?? {}, 'outcome')).not.toHaveProperty('network_decline_code');
    expect(objectOf('customer.subscription.updated')).toHaveProperty(
      'current_period_end',
      expect.any(Number),
    );
  });

  it('between acacia and basil declines have their network codes', async () => {
    const { objectOf } = await failedRenewal('2025-01-27.acacia');
    expect(objectOf('charge.failed')).toMatchObject({ outcome: { network_decline_code: '51' } });
    expect(objectOf('charge.failed')).not.toHaveProperty('refunds');
    expect(objectOf('invoice.payment_failed')).not.toHaveProperty('parent');
  });

  it('before 2022-11-15 a payment intent holds its charges, and a charge its refunds', async () => {
    const { objectOf } = await failedRenewal('2020-08-27');
    const charge = Reflect.get(objectOf('charge.failed') ?? {}, 'id');
    expect(objectOf('payment_intent.payment_failed')).toHaveProperty('charges.data.0.id', charge);
    expect(objectOf('charge.failed')).toHaveProperty('refunds.data', []);
    expect(objectOf('invoice.payment_failed')).toHaveProperty('charge', charge);
  });

  it('since basil only what came later is missing', async () => {
    const { objectOf } = await failedRenewal('2025-03-31.basil');
    expect(objectOf('invoice.payment_failed')).toHaveProperty('parent.subscription_details');
  });

  it('a version that is none, or newer than the library, is refused', async () => {
    const make = (api_version: string) =>
      test.stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: ['*'], api_version } as never);
    for (const version of ['latest', '2027-01-01.future'])
      expect((await errorOf(make(version))).param).toBe('api_version');
  });
});

describe('thin events (stripe-facts 1.10)', () => {
  async function addDestination(enabled_events = ['*'], changes = {}) {
    return test.stripe.v2.core.eventDestinations.create({
      name: 'Retries',
      type: 'webhook_endpoint',
      event_payload: 'thin' as const,
      enabled_events,
      include: ['webhook_endpoint.signing_secret'],
      webhook_endpoint: { url: receiver.url },
      ...changes,
    });
  }

  const parseAll = (secret: string | undefined) =>
    receiver.received.map(({ body, headers }) =>
      test.stripe.parseEventNotification(
        ...([body, headers['stripe-signature'] ?? '', secret ?? '', 300, undefined] as const),
        test.clock.now().toMillis(),
      ),
    );

  it('a notification is signed with the secret of its destination, names its object and does not hold it', async () => {
    const { sandbox, stripe } = test;
    const destination = await addDestination(['v1.invoice.payment_failed']);
    const { subscription } = subscribe(sandbox);
    const invoice = sandbox.renewNow(subscription.id);
    await sandbox.run();
    const [notification] = parseAll(destination.webhook_endpoint?.signing_secret);
    expect(notification).toMatchObject({
      object: 'v2.core.event',
      type: 'v1.invoice.payment_failed',
      created: START.toISO(),
      related_object: { id: invoice.id, type: 'invoice', url: `/v1/invoices/${invoice.id}` },
    });
    for (const part of ['data', 'changes', 'snapshot_event'])
      expect(receiver.received[0]?.body).not.toContain(`"${part}"`);
    if (notification?.type !== 'v1.invoice.payment_failed') throw new Error('Another event');
    expect(await notification.fetchRelatedObject()).toMatchObject({ id: invoice.id, attempt_count: 1 });
    const event = await notification.fetchEvent();
    const snapshot = await stripe.events.retrieve(event.snapshot_event ?? '');
    expect(snapshot.type).toBe('invoice.payment_failed');
  });

  it('a change of a subscription has a name for each thing that changed, and says before and after', async () => {
    const { sandbox, stripe } = test;
    const destination = await addDestination(['v1.customer.subscription.*']);
    const { subscription } = subscribe(sandbox);
    sandbox.renewNow(subscription.id);
    sandbox.cancelSubscription(subscription.id, { atPeriodEnd: true });
    sandbox.updateSubscription(subscription.id, {
      items: [{ id: subscription.items.data[0]?.id, quantity: 2 }],
    });
    await sandbox.run();
    const told = parseAll(destination.webhook_endpoint?.signing_secret);
    expect(told.map(({ type }) => type.replace('v1.customer.subscription.', ''))).toEqual([
      ...['created', 'updated', 'active', 'updated', 'updated', 'past_due', 'updated', 'cancel_at_changed'],
      ...['updated', 'item_quantity_changed'],
    ]);
    const pastDue = told.find(({ type }) => type.endsWith('past_due'));
    expect(await stripe.v2.core.events.retrieve(pastDue?.id ?? '')).toMatchObject({
      changes: { before: { status: 'active' }, after: { status: 'past_due' } },
    });
  });

  it('the list goes back by pages, and takes types, an object and a time', async () => {
    const { sandbox, stripe, clock } = test;
    const { subscription } = subscribe(sandbox);
    await clock.set(START.plus({ hours: 2 }));
    const invoice = sandbox.renewNow(subscription.id);
    const { events } = stripe.v2.core;
    const ofInvoice = await events
      .list({ object_id: invoice.id, limit: 2 })
      .autoPagingToArray({ limit: 100 });
    expect(ofInvoice.map(({ type }) => type)).toEqual([
      ...['v1.invoice.updated', 'v1.invoice.payment_failed', 'v1.invoice.finalized', 'v1.invoice.created'],
    ]);
    const created = { gte: Math.floor(START.plus({ hours: 1 }).toSeconds()) };
    const failures = await events.list({ types: ['v1.charge.failed', 'v1.charge.succeeded'], created });
    expect(failures.data.map(({ type }) => type)).toEqual(['v1.charge.failed']);
    expect((await errorOf(events.retrieve('evt_none'))).statusCode).toBe(404);
  });

  it('the call that caused an event is named with its idempotency key', async () => {
    const { stripe } = test;
    await stripe.customers.create({ email: 'ada@example.com' }, { idempotencyKey: 'mine' });
    const [event] = (await stripe.v2.core.events.list()).data;
    expect(event?.reason).toMatchObject({ type: 'request', request: { idempotency_key: 'mine' } });
  });

  it('a connected account is named, to a destination that asked for other accounts', async () => {
    const { sandbox } = test;
    await addDestination();
    const destination = await addDestination(['*'], { events_from: ['@accounts'] });
    const connected = sandbox.connectAccount();
    connected.createCustomer();
    await sandbox.run();
    const told = parseAll(destination.webhook_endpoint?.signing_secret);
    expect(told.map(({ type, context }) => [type, String(context)])).toEqual([
      ['v1.customer.created', connected.id],
    ]);
  });

  it('a destination is disabled, changed and removed, and shows its secret only once', async () => {
    const { sandbox, stripe } = test;
    const { eventDestinations } = stripe.v2.core;
    const { id } = await addDestination();
    await eventDestinations.disable(id);
    sandbox.createCustomer();
    expect(await sandbox.run()).toBe(0);
    await eventDestinations.enable(id);
    const changed = await eventDestinations.update(id, { enabled_events: ['v1.customer.deleted'] });
    expect(changed).toMatchObject({ status: 'enabled', webhook_endpoint: {} });
    sandbox.createCustomer();
    expect(await sandbox.run()).toBe(0);
    expect((await eventDestinations.list()).data).toHaveLength(1);
    await eventDestinations.del(id);
    expect((await eventDestinations.list()).data).toEqual([]);
  });

  it('a destination of snapshots gets them in its version', async () => {
    await addDestination(['customer.created'], {
      event_payload: 'snapshot',
      snapshot_api_version: '2024-06-20',
    });
    test.sandbox.createCustomer();
    await test.sandbox.run();
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
      object: 'event',
      api_version: '2024-06-20',
    });
  });

  it('thin notifications come in any order, too', async () => {
    const { sandbox } = test;
    const destination = await addDestination();
    sandbox.webhookFaults.shuffle = true;
    subscribe(sandbox);
    await sandbox.run();
    const types = parseAll(destination.webhook_endpoint?.signing_secret).map(({ type }) => type);
    const listed = (await test.stripe.v2.core.events.list({ limit: 100 })).data
      .map(({ type }) => type)
      .reverse();
    expect(types).not.toEqual(listed);
    expect([...types].sort()).toEqual([...listed].sort());
  });
});

describe('the key and the limits', () => {
  it('the key can be the name of a user, as in the examples with curl', async () => {
    const { sandbox } = test;
    const ask = (name: string) =>
      fetch(`${sandbox.url}/v1/customers`, {
        headers: { authorization: `Basic ${Buffer.from(`${name}:`).toString('base64')}` },
      });
    expect((await ask(sandbox.secretKey)).status).toBe(200);
    expect((await ask('sk_test_another')).status).toBe(401);
  });

  it.each([
    [{ account: 3, endpoint: 100 }, 'global-rate'],
    [{ account: 100, endpoint: 3 }, 'endpoint-rate'],
  ])(
    'a call beyond the limits %j is refused until the next second, and says which (stripe-facts 3.10)',
    async (rateLimits, reason) => {
      const limited = await startTestSandbox({ rateLimits });
      const { stripe, clock } = limited;
      const create = () => stripe.customers.create({}, { idempotencyKey: 'one' });
      for (let call = 0; call < 3; call += 1) await create();
      const error = await errorOf(create());
      expect(error).toMatchObject({ statusCode: 429, code: 'rate_limit', type: 'StripeRateLimitError' });
      expect(error.headers).toMatchObject({ 'stripe-rate-limited-reason': reason });
      await clock.set(clock.now().plus({ seconds: 1 }));
      expect((await create()).object).toBe('customer');
      await limited.stop();
    },
  );

  it('the library repeats a lock timeout, which asks for it, and no rate limit (stripe-facts 3.9)', async () => {
    const { sandbox } = test;
    const { hostname, port } = new URL(sandbox.url);
    const options = {
      host: hostname,
      port,
      protocol: 'http',
      telemetry: false,
      maxNetworkRetries: 1,
    } as const;
    const stripe = new Stripe(sandbox.secretKey, options);
    const { id } = sandbox.createCustomer();
    sandbox.faults.next('POST', `/customers/${id}`, 'lock_timeout');
    expect((await stripe.customers.update(id, { name: 'Ada' })).name).toBe('Ada');
    sandbox.faults.next('POST', `/customers/${id}`, 'rate_limit');
    expect((await errorOf(stripe.customers.update(id, { name: 'Bob' }))).statusCode).toBe(429);
  });
});
