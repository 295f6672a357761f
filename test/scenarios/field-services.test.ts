/** Services as they are in the field: their callbacks in each of the known shapes, and their listings without any callback. */
import { findInvoiceHistory } from '../../src/plugin/store/reports/invoice-history.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { listFieldShapes } from '../support/field-shapes.ts';
import { type ListingService, startListingService } from '../support/http/listing-service.ts';
import { SERVICE_KEY } from '../support/http/recording-service.ts';
import { failingInvoice, payCalls, statusOf, storyOf } from '../support/scenario.ts';
import { CALLBACK_TOKEN, createWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world?.stop());

const failing = () => failingInvoice(world, declinesTimes(1, 'insufficient_funds'));

test('in observe mode each callback is recorded and answered, and nothing follows from it', async () => {
  world = await createWorld({
    isRemote: true,
    plugin: { retryMode: 'observe', afterGivingUp: 'cancel' },
    sandbox: { stripeRetries: 'smart' },
  });
  const { invoiceId, subscriptionId } = await failing();
  const shapes = listFieldShapes('callback');
  for (const { name, path = '/recovery_action', body } of shapes) {
    const named = JSON.stringify(body)
      .replaceAll('in_1', invoiceId)
      .replaceAll('sub_1', subscriptionId)
      .replaceAll(/"(req|evt)_1"/g, JSON.stringify(name));
    const headers = { authorization: `Bearer ${CALLBACK_TOKEN}`, 'content-type': 'application/json' };
    const answer = await fetch(`${world.url}${path}`, { method: 'POST', headers, body: named });
    expect(await answer.json()).toMatchObject({
      success: true,
      message: expect.stringMatching(/^Only observed/),
    });
    await world.settle();
  }
  const recorded = await world.query<{ id: string }>(
    `select request_id as id from payment_retry.instructions where handled_at is not null order by 1`,
  );
  expect(recorded.map(({ id }) => id)).toEqual(shapes.map(({ name }) => name));
  await world.advance({ hours: 1 });
  expect(world.sandbox.state.invoices.get(invoiceId)?.auto_advance).toBe(true);
  expect(world.sandbox.state.subscriptions.get(subscriptionId)?.status).not.toBe('canceled');
  expect(payCalls(world, invoiceId)).toEqual([]);
  expect(world.email.emails).toEqual([]);
  const story = await storyOf(world, invoiceId);
  expect(story.filter((kind) => kind.startsWith('instruction.'))).toHaveLength(shapes.length - 1);
});

describe('a service that does not call back', () => {
  let listing: ListingService;
  afterEach(() => listing.stop());

  test('is polled at its own listings, from settings alone, and its instruction is carried out', async () => {
    world = await createWorld({
      isRemote: true,
      arrange: async (_sandbox, clock) => {
        listing = await startListingService(clock);
        Object.assign(listing.behaviour, { planned: 'spelled', executed: 'missing' });
        return { retryServiceListingUrl: listing.url.href, recoveryCallbackToken: 'none' };
      },
    });
    const { invoiceId } = await failing();
    const idealRetryTime = world.clock.now().plus({ hours: 30 });
    listing.planned.push({
      requestId: 'req_1',
      invoiceId,
      actionSuggestion: 'ACTION_SUGGESTION_RETRY',
      idealRetryTime: idealRetryTime.toISO(),
      createdAt: world.clock.now().toISO() ?? '',
    });
    // What the schedule does every five minutes.
    await world.plugin.parts.requestActionsSync();
    await world.advance({ hours: 29 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    await world.advance({ hours: 1, minutes: 5 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    const history = await findInvoiceHistory(world.plugin.parts.database, invoiceId);
    expect(history?.instructions).toMatchObject([{ requestId: 'req_1', source: 'listing' }]);
    for (const token of ['none', '', SERVICE_KEY]) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(`${world.url}/recovery_action`, { method: 'POST', headers })).status).toBe(401);
    }
  });
});
