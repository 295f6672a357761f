/** Callbacks that do not get through: the service's listing makes up for them. */

import { exactMoment } from '../../src/operator/text/exact-moment.ts';
import { reportInvoice, reportStatus } from '../../src/plugin/commands/status-command.ts';
import { declinesTimes } from '../../src/sandbox/stripe/payment-behaviour.ts';
import { type HttpStub, startHttpStub } from '../support/http-stub.ts';
import { actionsOf, attemptsOf, chargesOf, failingInvoice, payCalls, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
/** What stands in front of the plugin and, while it is shut, lets no callback through. */
let gate: HttpStub;
let isShut = true;
const answers: number[] = [];
beforeAll(async () => {
  gate = await startHttpStub(async ({ method, path, headers, body }) => {
    if (isShut) return { status: 503 };
    const { authorization = '' } = headers;
    const answer = await fetch(`${world.url}${path}`, { method, headers: { authorization }, body });
    answers.push(answer.status);
    return { status: answer.status, body: await answer.json() };
  });
  world = await createWorld({ plugin: { publicUrl: gate.url.href } });
});
afterAll(async () => {
  await world?.stop();
  await gate?.stop();
});
beforeEach(() => {
  isShut = true;
  answers.length = 0;
});
afterEach(() => world.reset());

async function poll(): Promise<void> {
  await world.plugin.parts.requestActionsSync();
  await world.settle();
}

const instructions = () =>
  world.query<{ source: string; state: string }>('select source, state from payment_retry.instructions');

test('the instruction is found, and the invoice is paid once, though the callback comes afterwards', async () => {
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  expect(await instructions()).toEqual([]);
  await poll();
  expect(await instructions()).toEqual([{ source: 'listing', state: 'scheduled' }]);
  const planned = await actionsOf(world, invoiceId);
  expect(planned).toMatchObject([{ kind: 'pay', state: 'scheduled' }]);

  isShut = false;
  await world.advance({ minutes: 30 });
  expect(answers).toEqual([200]);
  expect(await instructions()).toHaveLength(1);
  expect(await actionsOf(world, invoiceId)).toEqual(planned);

  await world.advance({ days: 10 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  expect(payCalls(world, invoiceId)).toHaveLength(1);
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
});

test('the payment is made, and the service knows of it, though no callback ever comes', async () => {
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
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
  expect(text).toMatch(/listed by the service: retry at .* UTC; succeeded, executed at .* UTC.* \(action /);
});

test('status tells that callbacks do not arrive, until they do', async () => {
  const told = async () => {
    await poll();
    const { text } = await reportStatus(world.plugin.parts.database, {}, world.clock.now());
    return text.split('\n').find((line) => line.includes('waiting, the oldest since'));
  };
  await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  const since = exactMoment(world.clock.now().toJSDate());
  expect(await told()).toBeUndefined();
  await world.advance({ minutes: 16 });
  const now = exactMoment(world.clock.now().toJSDate());
  expect(await told()).toBe(`  account own, ${now}: 1 waiting, the oldest since ${since}`);
  isShut = false;
  await world.advance({ hours: 2 });
  expect(await told()).toBeUndefined();
});

test('a callback that came is listed too, and changes nothing', async () => {
  isShut = false;
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  const planned = await actionsOf(world, invoiceId);
  await poll();
  expect(await instructions()).toEqual([{ source: 'callback', state: 'scheduled' }]);
  expect(await actionsOf(world, invoiceId)).toEqual(planned);
  expect(await world.query('select fate from payment_retry.recovery_actions')).toEqual([{ fate: 'known' }]);
});
