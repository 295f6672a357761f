/** Callbacks that do not get through: the service's listing makes up for them. */
import { DateTime, type DurationLike } from 'luxon';
import { reportInvoice, reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import { exactMoment } from '../../src/plugin/operator/text/exact-moment.ts';
import { saveReceiver } from '../../src/service/store/callback-receivers.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { actionsOf, attemptsOf, chargesOf, payCalls, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';

let world: World;
beforeAll(async () => {
  // Nobody answers there: the embedded service does not ask.
  world = await createWorld({ plugin: { publicUrl: 'http://127.0.0.1:1' } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

/** As after failures in a row: no callback is tried for so long. */
async function giveUpCallbacks(duration: DurationLike): Promise<void> {
  const failingSince = world.clock.now();
  const openUntil = failingSince.plus(duration);
  const failure = { failures: 5, lastFailed: 'another', lastAnswer: 'no answer: ECONNREFUSED' };
  const state = { ...failure, failingSince, pauseSeconds: 60, openUntil, probeUntil: null };
  await saveReceiver(world.plugin.parts.database, 'loopback', state);
}

/** When the service was told that an instruction has arrived, for each. */
const arrivals = () =>
  world.query<{ sentAt: DateTime<true> | null }>('select sent_at from retry_service.recovery_actions');

async function failing() {
  const card = declinesTimes(1, 'insufficient_funds');
  const [one] = await failList(world, [{ paymentMethod: card }], 'older');
  return one;
}

async function poll(): Promise<void> {
  await world.plugin.parts.requestActionsSync();
  await world.settle();
}

const instructions = () =>
  world.query<{ source: string; state: string }>('select source, state from payment_retry.instructions');

test('the instruction is found, and the invoice is paid once, though the callback comes afterwards; status shows that callbacks do not arrive, until they do', async () => {
  await giveUpCallbacks({ hours: 1 });
  const told = async () => {
    await poll();
    const { text } = await reportStatus(world.plugin.parts.database, {}, world.clock.now());
    return text.split('\n').find((line) => line.includes('waiting, the oldest since'));
  };
  const { invoiceId } = await failing();
  const since = exactMoment(world.clock.now());
  expect(await instructions()).toEqual([]);
  expect(await told()).toBeUndefined();
  expect(await instructions()).toEqual([{ source: 'listing', state: 'scheduled' }]);
  const planned = await actionsOf(world, invoiceId);
  expect(planned).toMatchObject([{ kind: 'pay', state: 'scheduled' }]);

  expect(await arrivals()).toEqual([{ sentAt: null }]);
  await world.advance({ minutes: 16 });
  const now = exactMoment(world.clock.now());
  expect(await told()).toBe(`  account own, ${now}: 1 waiting, the oldest since ${since}`);
  await world.advance({ hours: 2 });
  expect(await told()).toBeUndefined();
  expect(await arrivals()).toEqual([{ sentAt: expect.any(DateTime) }]);
  expect(await instructions()).toHaveLength(1);
  expect(await actionsOf(world, invoiceId)).toEqual(planned);

  await world.advance({ days: 10 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  expect(payCalls(world, invoiceId)).toHaveLength(1);
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
});

test('the payment is made, and the service knows of it, though no callback ever comes', async () => {
  await giveUpCallbacks({ days: 30 });
  const { invoiceId } = await failing();
  await poll();
  await world.advance({ days: 10 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  expect(await attemptsOf(world, invoiceId)).toMatchObject([
    { source: 'stripe', outcome: 'declined' },
    { source: 'ours', outcome: 'paid', calls: 1 },
  ]);
  await poll();
  expect(await world.query('select status, fate from payment_retry.recovery_actions')).toEqual([
    { status: 'RECOVERY_ACTION_STATUS_SUCCEEDED', fate: 'applied' },
  ]);
  const { text } = await reportInvoice(world.plugin.parts.database, invoiceId, {});
  expect(text).toMatch(/Retry 1 paid.* \(action .*: retry at .* UTC; succeeded, executed at .* UTC\)/);
});

test('a callback comes whatever PUBLIC_URL says; that it is listed too changes nothing', async () => {
  const { invoiceId } = await failing();
  const planned = await actionsOf(world, invoiceId);
  await poll();
  expect(await instructions()).toEqual([{ source: 'callback', state: 'scheduled' }]);
  expect(await actionsOf(world, invoiceId)).toEqual(planned);
  expect(await world.query('select fate from payment_retry.recovery_actions')).toEqual([{ fate: 'known' }]);
});
