/** What a service that says it takes `request_outcomes` hears of its requests after it was answered. */
import { describeStatus } from '../../src/plugin/operator/text/status/describe-status.ts';
import { OWN_ACCOUNT } from '../../src/plugin/settings/account.ts';
import { readWorkStatus } from '../../src/plugin/store/reports/work-status.ts';
import { recordInstruction, settleInstruction } from '../../src/plugin/store/tables/retry/instructions.ts';
import { acceptsFirst, declines, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { type HttpStub, type StubAnswer, startHttpStub } from '../support/http/http-stub.ts';
import { operate } from '../support/operate.ts';
import { instruct } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import { failTogether } from './fail-together.ts';

let service: HttpStub;
let isTaken = true;
/** Refused with 400, as is a batch that has it. */
let refused = '';
let limit: StubAnswer | undefined;
const capabilities = ['request_outcomes'];
let world: World;

beforeAll(async () => {
  service = await startHttpStub(({ path, body }) => {
    if (path === '/v1/capabilities') return { status: 200, body: { capabilities } };
    if (path.startsWith('/v1/recovery_actions'))
      return { status: 200, body: { recoveryActions: [], nextPageToken: '', totalSize: 0 } };
    if (path === '/ingest/v1/request_outcomes' && !isTaken) return { status: 503 };
    if (path === '/ingest/v1/request_outcomes' && limit) return limit;
    if (path === '/ingest/v1/request_outcomes' && refused && body.includes(refused)) return { status: 400 };
    return { status: 200, body: { requestId: 'r' } };
  });
  world = await createWorld({
    isRemote: true,
    through: async (outside) => ({ ...outside, service: service.url.href }),
    plugin: { retryServiceApiKey: 'key', recover: 'country:DE' },
  });
});
afterAll(async () => {
  await world?.stop();
  await service?.stop();
});

const told = () =>
  service.requests
    .filter(({ path }) => path === '/ingest/v1/request_outcomes')
    .flatMap(({ body }) => {
      const { requestOutcomes = [] } = JSON.parse(body);
      return requestOutcomes;
    });
const toldOf = (requestId: string) =>
  told().filter((one: { requestId: string }) => one.requestId === requestId);
/** As every five minutes. */
async function tell(): Promise<void> {
  await world.plugin.parts.requestActionsSync();
  await world.settle();
}

let cards = 0;
const ordinary = () => declinesTimes(1, 'insufficient_funds', {}, { fingerprint: `fp_${++cards}` });

test('each request is told once what became of it, by its id', async () => {
  const [paid, byStripe, hopeless, waiting, putOff] = await failList(
    world,
    [
      { paymentMethod: ordinary() },
      { paymentMethod: ordinary() },
      { paymentMethod: acceptsFirst(1, declines('stolen_card')) },
      { paymentMethod: ordinary() },
      { paymentMethod: ordinary() },
    ],
    'older',
  );
  const asked = world.clock.now();
  const at = asked.plus({ hours: 30 });
  await instruct(world, paid.invoiceId, 'RETRY', at, 'req_paid');
  await instruct(world, byStripe.invoiceId, 'RETRY', at, 'req_by_stripe');
  await instruct(world, hopeless.invoiceId, 'RETRY', at, 'req_hopeless');
  await instruct(world, waiting.invoiceId, 'RETRY', at.plus({ days: 20 }), 'req_waiting');
  await instruct(world, putOff.invoiceId, 'RETRY', at, 'req_put_off');
  const until = world.clock.now().plus({ days: 3 });
  await operate(world, 'postpone', { invoice: putOff.invoiceId, until: until.toISO() });
  isTaken = false;
  await tell();
  expect(told().length).toBeGreaterThan(0);
  service.requests.length = 0;
  isTaken = true;
  world.sandbox.payAsMerchant(byStripe.invoiceId);
  await tell();
  await world.advance({ hours: 32 });
  await tell();
  await tell();
  expect(toldOf('req_paid')).toEqual([
    {
      requestId: 'req_paid',
      invoiceId: paid.invoiceId,
      outcome: 'done',
      at: at.toUTC().toISO(),
      result: 'paid',
    },
  ]);
  expect(toldOf('req_by_stripe')).toEqual([
    expect.objectContaining({ outcome: 'settled', reason: 'invoice_ended' }),
  ]);
  expect(toldOf('req_hopeless')).toEqual([
    expect.objectContaining({ outcome: 'refused', at: asked.toUTC().toISO() }),
  ]);
  expect(toldOf('req_put_off')).toEqual([
    expect.objectContaining({ outcome: 'postponed', at: until.toISO(), reason: 'postponed_by_person' }),
  ]);
  expect(toldOf('req_waiting')).toEqual([]);
  const { clock } = world;
  const { database } = world.plugin.parts;
  const status = await readWorkStatus(database, clock.now());
  expect(status.keptTimes).toMatchObject({ asked: 4, kept: 1 });
  expect(describeStatus(status, clock.now())).toMatch(
    /retries this month:\n {2}kept at its time: 25 % of 4 this month\n( {2}1 .*\n)*( {2}1 not needed any more: invoice_ended\n)/,
  );
});

/** An instruction whose planning was given up. */
async function failToPlan(requestId: string, invoiceId: string, source = 'callback'): Promise<void> {
  const { database } = world.plugin.parts;
  const now = world.clock.now();
  const suggestion = 'ACTION_SUGGESTION_RETRY';
  const asked = {
    requestId,
    invoiceId,
    suggestion,
    subscriptionId: undefined,
    idealRetryAt: now,
    body: '{}',
  };
  const of = { account: OWN_ACCOUNT, source, receivedAt: now, type: 'suggestion' };
  await recordInstruction(database, { ...asked, ...of });
  const outcome = { state: 'failed', reason: { code: 'failed', error: 'Stripe was away' } } as const;
  await settleInstruction(database, { account: OWN_ACCOUNT, requestId }, outcome, now);
}

test('an outcome is reported as it is, and again where it is no longer as reported', async () => {
  const fails = { paymentMethod: acceptsFirst(1, declines('insufficient_funds')) };
  const [far, doubted, undone, replayed, paused] = await failList(
    world,
    Array.from({ length: 5 }, () => ({ paymentMethod: ordinary() })),
    'older',
  );
  const [disputed] = await failList(world, [fails]);
  const outside = await failTogether(
    world,
    { outside: ordinary() },
    { customer: { country: 'AT' }, isOlder: true },
  );
  if (!far || !doubted || !undone || !replayed || !paused || !disputed) throw new Error('Nobody failed.');
  const { sandbox } = world;
  const at = world.clock.now().plus({ hours: 30 });
  const ask = (id: string, { invoiceId }: { invoiceId: string }, time = at) =>
    instruct(world, invoiceId, 'RETRY', time, id);
  await ask('far', far, world.clock.now().plus({ days: 60 }));
  await ask('doubted', doubted);
  await ask('undone', undone);
  await ask('disputed', disputed);
  await ask('outside', outside('outside'));
  await world.advance({ minutes: 5 });
  const stopped = await operate(world, 'stop', { invoice: undone.invoiceId });
  await tell();
  await world.advance({ minutes: 5 });
  await operate(world, 'undo', { line: Object(stopped).undo });
  await tell();
  const [paid] = [
    ...sandbox.state.charges.newestFirst({ index: 'customer', key: disputed.customerId }),
  ].slice(-1);
  sandbox.disputeCharge(paid?.id ?? '', 'subscription_canceled');
  sandbox.faults.next('POST', `/v1/invoices/${doubted.invoiceId}/pay`, 'drop_after', 5);
  await world.advance({ hours: 29, minutes: 50 });
  await tell();
  expect(toldOf('doubted')).toEqual([]);
  await world.advance({ hours: 1 });
  await tell();
  await failToPlan('replayed', replayed.invoiceId);
  await tell();
  await operate(world, 'replay', { instructions: 'all' });
  await failToPlan('signal', replayed.invoiceId, 'signal');
  const [held] = await failList(world, [{ paymentMethod: ordinary() }], 'older');
  await ask('held', held, world.clock.now());
  await operate(world, 'pause', {});
  await ask('paused', paused, world.clock.now());
  await world.advance({ hours: 2 });
  await tell();
  await operate(world, 'resume', {});
  await world.advance({ days: 59 });
  await tell();
  const done = { outcome: 'done', at: at.toISO(), result: 'paid' };
  expect(
    Object.fromEntries(
      ['doubted', 'undone', 'disputed', 'outside', 'far', 'replayed', 'paused', 'held', 'signal'].map(
        (id) => [id, toldOf(id)],
      ),
    ),
  ).toMatchObject({
    doubted: [done],
    undone: [
      { outcome: 'refused', reason: 'stopped_by_person' },
      { outcome: 'postponed', at: at.toISO() },
      done,
    ],
    disputed: [{ outcome: 'undecided', at: at.toISO(), reason: 'payer_disputes' }],
    outside: [{ outcome: 'refused', at: at.toISO(), reason: 'payment_observed' }],
    far: [{ outcome: 'done', result: 'paid' }],
    replayed: [
      { outcome: 'refused', reason: 'failed' },
      { outcome: 'postponed' },
      { outcome: 'done', result: 'paid' },
    ],
    paused: [{ outcome: 'postponed', reason: 'effects_paused' }, { outcome: 'done' }],
    held: [{ outcome: 'postponed', reason: 'effects_paused' }, { outcome: 'done' }],
    signal: [],
  });
}, 60_000);

test('an outcome that the service refuses holds up no other', async () => {
  const payers = await failList(
    world,
    Array.from({ length: 3 }, () => ({ paymentMethod: ordinary() })),
    'older',
  );
  for (const [index, { invoiceId }] of payers.entries())
    await instruct(world, invoiceId, 'RETRY', world.clock.now(), `req_odd_${index}`);
  refused = 'req_odd_1';
  await world.advance({ hours: 2 });
  await tell();
  const taken = service.requests
    .filter(({ body }) => !body.includes(refused))
    .map(({ body }) => body)
    .join();
  expect(taken).toMatch(/req_odd_0/);
  expect(taken).toMatch(/req_odd_2/);
  service.requests.length = 0;
  await tell();
  expect(told()).toEqual([]);
});

test.each([429, 503])('outcomes wait as long as the service asks with %d', async (status) => {
  const [payer] = await failList(world, [{ paymentMethod: ordinary() }], 'older');
  await instruct(world, payer.invoiceId, 'RETRY', world.clock.now(), `req_limited_${status}`);
  await world.advance({ hours: 2 });
  limit = { status, headers: { 'retry-after': '900' } };
  service.requests.length = 0;
  await tell();
  await tell();
  expect(told()).toHaveLength(1);
  limit = undefined;
  await world.advance({ minutes: 14 });
  await tell();
  expect(told()).toHaveLength(1);
  await world.advance({ minutes: 2 });
  await tell();
  expect(toldOf(`req_limited_${status}`)).toHaveLength(2);
});
