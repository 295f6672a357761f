/** What an application's own tests use: `stripe-payment-retry/testing`. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import express from 'express';
import type { HostEvent } from '../../../src/plugin/operator/host-events/host-event.ts';
import { createTestWorld, type TestWorld } from '../../../src/workbench/testing/test-world.ts';

const told: HostEvent[] = [];
let world: TestWorld;
beforeAll(async () => {
  world = await createTestWorld({
    start: new Date('2026-05-04T08:00:00Z'),
    prefix: '/billing',
    plugin: { mode: 'advisory', on: { recovered: (event) => void told.push(event) } },
    app: (plugin) =>
      express()
        .use('/billing', plugin.router)
        .get('/shop', (_req, res) => void res.send('open')),
  });
});
afterAll(() => world.stop());

test('a failed renewal comes back by retries, in the time that is let pass, and the application is told', async () => {
  const { invoice, customer } = await world.failRenewal({ amount: 4900, declines: 1 });
  expect(world.sandbox.state.invoices.get(invoice)?.status).toBe('open');
  await world.advanceTo('2026-05-14T08:00:00Z');
  expect(world.now()).toEqual(new Date('2026-05-14T08:00:00Z'));
  expect(world.sandbox.state.invoices.get(invoice)?.status).toBe('paid');
  const recovered = [expect.objectContaining({ type: 'recovered', data: expect.anything() })];
  expect(world.events.filter(({ type }) => type === 'recovered')).toEqual(recovered);
  expect(told).toEqual(recovered);
  expect(JSON.stringify(told)).toContain(customer);
});

test('time does not go back, and what is no time is named', async () => {
  await expect(world.advanceTo('2026-05-01')).rejects.toThrow('is in the past of this world');
  await expect(world.advanceTo('soon')).rejects.toThrow('soon is no time');
});

test.each([
  ['advance', { day: 3 }, 'there is no unit of time day; did you mean days?'],
  ['advance', { days: '3' }, 'days: '],
  ['failRenewal', { declineCod: 'lost_card' }, 'declineCod; did you mean declineCode?'],
  [
    'failRenewal',
    { declineCode: 'lost_crad' },
    'there is no decline code lost_crad; did you mean lost_card?',
  ],
  ['newCard', { declineCode: 'no_such_code' }, 'there is no decline code no_such_code'],
])('what %s does not know is refused: %j', async (method, given, problem) => {
  const before = world.now();
  const ask: Record<string, (given: object) => Promise<unknown>> = {
    advance: world.advance,
    failRenewal: world.failRenewal,
    newCard: (card) => world.newCard('cus_1', card),
  };
  await expect(ask[method]?.(given)).rejects.toThrow(problem);
  expect(world.now()).toEqual(before);
});

test('the application is asked beside the plugin; what is posted to its webhook is signed, unless it is already', async () => {
  expect(await (await world.fetch('/shop')).text()).toBe('open');
  const event = JSON.stringify([...world.sandbox.state.events.newestFirst()][0]);
  const post = (headers: Record<string, string> = {}) =>
    world.fetch('/billing/webhooks/stripe', {
      method: 'POST',
      body: event,
      headers: { 'content-type': 'application/json', ...headers },
    });
  expect((await post()).status).toBe(200);
  expect((await post({ 'stripe-signature': 't=1,v1=00' })).status).toBe(400);
});

test('a world without a mode, and one with an option that there is not, are refused', async () => {
  const modeless: object = { timeZone: 'UTC' };
  const open = (options: object) => createTestWorld(options as Parameters<typeof createTestWorld>[0]);
  await expect(Reflect.apply(createTestWorld, undefined, [])).rejects.toThrow('mode');
  await expect(open({ plugin: modeless })).rejects.toThrow('mode is required');
  await expect(open({ plugin: {}, starts: '2026-05-01' })).rejects.toThrow('did you mean start?');
});

test('a world with a setting that is wrong is refused, and leaves its port free', async () => {
  const server = createServer();
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    server.close();
    await once(server, 'close');
    return typeof address === 'object' ? address?.port : undefined;
  };
  const port = (await listen(0)) ?? 0;
  await expect(createTestWorld({ port, plugin: { mode: 'advisory', timeZone: 'nowhere' } })).rejects.toThrow(
    'timeZone',
  );
  expect(await listen(port)).toBe(port);
});
