import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import Stripe from 'stripe';
import { startTestSandbox, subscribe, type TestSandbox } from './start-test-sandbox.ts';

interface Receiver {
  url: string;
  bodies: { payload: string; signature: string }[];
  /** Answers in turn; 200 when used up. */
  answers: number[];
  /** A second request over one connection finds it at its end. */
  isEndingKept: boolean;
  stop(): Promise<void>;
}

async function startReceiver(): Promise<Receiver> {
  const bodies: Receiver['bodies'] = [];
  const answers: number[] = [];
  const used = new WeakSet<Socket>();
  const server: Server = createServer(async (request, response) => {
    if (receiver.isEndingKept && used.has(request.socket)) {
      request.socket.destroy();
      return;
    }
    used.add(request.socket);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    bodies.push({
      payload: Buffer.concat(chunks).toString(),
      signature: String(request.headers['stripe-signature']),
    });
    response.statusCode = request.method === 'POST' ? (answers.shift() ?? 200) : 404;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/webhooks`,
    bodies,
    answers,
    isEndingKept: false,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}

describe('webhooks', () => {
  let test: TestSandbox;
  let receiver: Receiver;
  beforeEach(async () => {
    test = await startTestSandbox();
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await test.stop();
    await receiver.stop();
  });

  const received = () => receiver.bodies.map(({ payload }): Stripe.Event => JSON.parse(payload));

  it("the sandbox's webhooks carry a signature that the SDK accepts", async () => {
    const { sandbox, stripe, clock } = test;
    sandbox.addWebhookEndpoint(receiver.url);
    sandbox.createCustomer({ email: 'ann@example.com' });
    expect(await sandbox.deliverWebhooks()).toBe(1);
    const [body] = receiver.bodies;
    const event = stripe.webhooks.constructEvent(
      body?.payload ?? '',
      body?.signature ?? '',
      sandbox.webhookSecret,
      300,
      undefined,
      clock.now().toMillis(),
    );
    expect(event).toMatchObject({
      type: 'customer.created',
      api_version: Stripe.API_VERSION,
      livemode: false,
      created: Math.floor(clock.now().toSeconds()),
    });
  });

  it("the sandbox's webhooks name the API call that caused them, and nobody when Stripe acts by itself", async () => {
    const { sandbox, stripe } = test;
    sandbox.addWebhookEndpoint(receiver.url);
    await stripe.customers.create({ email: 'bob@example.com' }, { idempotencyKey: 'k1' });
    sandbox.createCustomer();
    await sandbox.run();
    expect(received().map(({ request }) => request)).toEqual([
      { id: expect.stringMatching(/^req_/), idempotency_key: 'k1' },
      { id: null, idempotency_key: null },
    ]);
  });

  it("the sandbox's webhooks carry the object as it was at the event, with the old values of what changed", async () => {
    const { sandbox } = test;
    const { subscription } = subscribe(sandbox);
    sandbox.addWebhookEndpoint(receiver.url);
    sandbox.renewNow(subscription.id);
    sandbox.cancelSubscription(subscription.id);
    await sandbox.run();
    const updates = received().filter(({ type }) => type === 'customer.subscription.updated');
    expect(updates[1]?.data).toMatchObject({
      object: { status: 'past_due' },
      previous_attributes: { status: 'active' },
    });
    expect(Object.keys(updates[1]?.data.previous_attributes ?? {})).toEqual(['status']);
  });

  it("the sandbox's webhooks are tried again after a 500, later and later, for three days", async () => {
    const { sandbox, clock, stripe } = test;
    sandbox.addWebhookEndpoint(receiver.url);
    receiver.answers.push(...Array.from({ length: 50 }, () => 500));
    sandbox.createCustomer();
    const start = clock.now();
    await sandbox.run();
    expect((await stripe.events.list({ delivery_success: false })).data).toHaveLength(1);
    expect(sandbox.nextDueAt()?.diff(start).as('minutes')).toBe(1);
    for (let due = sandbox.nextDueAt(); due !== undefined; due = sandbox.nextDueAt()) {
      await clock.set(due);
      await sandbox.run();
    }
    expect(clock.now().diff(start).as('days')).toBeLessThanOrEqual(3);
    expect(receiver.bodies.length).toBeGreaterThan(5);
    expect(new Set(receiver.bodies.map(({ signature }) => signature)).size).toBe(receiver.bodies.length);
  });

  it("the sandbox's webhooks arrive though the receiver has ended the connection that was kept", async () => {
    const { sandbox } = test;
    sandbox.addWebhookEndpoint(receiver.url);
    receiver.isEndingKept = true;
    for (let count = 0; count < 3; count += 1) {
      sandbox.createCustomer();
      await sandbox.run();
    }
    expect(receiver.bodies).toHaveLength(3);
    expect(sandbox.state.deliveries.map(({ attempt, status }) => [attempt, status])).toEqual(
      Array(3).fill([1, 200]),
    );
  });

  it("the sandbox's webhooks count as delivered once a retry succeeds", async () => {
    const { sandbox, clock, stripe } = test;
    sandbox.addWebhookEndpoint(receiver.url);
    receiver.answers.push(500);
    sandbox.createCustomer();
    await sandbox.run();
    await clock.set(clock.now().plus({ minutes: 1 }));
    await sandbox.run();
    expect((await stripe.events.list({ delivery_success: false })).data).toEqual([]);
    expect((await stripe.events.list()).data[0]?.pending_webhooks).toBe(0);
    expect(sandbox.state.deliveries.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 500],
      [2, 200],
    ]);
  });

  it("the sandbox's webhooks come twice, late, lost or in disorder on demand", async () => {
    const { sandbox, clock } = test;
    sandbox.addWebhookEndpoint(receiver.url);
    sandbox.webhookFaults.duplicate = 1;
    sandbox.createCustomer();
    await sandbox.run();
    expect(received().map(({ id }) => id)).toEqual([received()[0]?.id, received()[0]?.id]);

    Object.assign(sandbox.webhookFaults, { duplicate: 0, delayMs: 60_000 });
    sandbox.createCustomer();
    expect(await sandbox.deliverWebhooks()).toBe(0);
    await clock.set(clock.now().plus({ minutes: 1 }));
    expect(await sandbox.deliverWebhooks()).toBe(1);

    Object.assign(sandbox.webhookFaults, { delayMs: 0, drop: 1 });
    sandbox.createCustomer();
    await sandbox.run();
    expect(receiver.bodies).toHaveLength(3);
    Object.assign(sandbox.webhookFaults, { drop: 0 });
    await clock.set(clock.now().plus({ minutes: 1 }));
    await sandbox.run();
    expect(receiver.bodies).toHaveLength(4);

    sandbox.webhookFaults.shuffle = true;
    const customers = Array.from({ length: 20 }, () => sandbox.createCustomer().id);
    await sandbox.run();
    const order = received()
      .slice(4)
      .map((event) => (event.type === 'customer.created' ? event.data.object.id : event.type));
    expect(order).not.toEqual(customers);
    expect([...order].sort()).toEqual([...customers].sort());
  });

  it("the sandbox's webhooks go to the endpoints that asked for them, until these are deleted", async () => {
    const { sandbox, stripe } = test;
    const endpoint = await stripe.webhookEndpoints.create({
      url: receiver.url,
      enabled_events: ['customer.deleted'],
      api_version: '2026-10-28.endive',
    });
    expect(endpoint.secret).toBe(sandbox.webhookSecret);
    const customer = sandbox.createCustomer();
    sandbox.deleteCustomer(customer.id);
    await sandbox.run();
    expect(received().map(({ type }) => type)).toEqual(['customer.deleted']);
    await stripe.webhookEndpoints.del(endpoint.id);
    sandbox.deleteCustomer(sandbox.createCustomer().id);
    expect(await sandbox.run()).toBe(0);
    expect((await stripe.webhookEndpoints.list()).data).toEqual([]);
  });
});
