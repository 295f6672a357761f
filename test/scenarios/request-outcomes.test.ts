/** What a service that says it takes `request_outcomes` hears of its requests after it was answered. */
import { describeStatus } from '../../src/plugin/operator/text/status/describe-status.ts';
import { readWorkStatus } from '../../src/plugin/store/reports/work-status.ts';
import { acceptsFirst, declines, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { type HttpStub, startHttpStub } from '../support/http/http-stub.ts';
import { operate } from '../support/operate.ts';
import { instruct } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';

let service: HttpStub;
let isTaken = true;
const capabilities = ['request_outcomes'];
let world: World;

beforeAll(async () => {
  service = await startHttpStub(({ path }) => {
    if (path === '/v1/capabilities') return { status: 200, body: { capabilities } };
    if (path.startsWith('/v1/recovery_actions'))
      return { status: 200, body: { recoveryActions: [], nextPageToken: '', totalSize: 0 } };
    if (path === '/ingest/v1/request_outcomes' && !isTaken) return { status: 503 };
    return { status: 200, body: { requestId: 'r' } };
  });
  world = await createWorld({
    isRemote: true,
    through: async (outside) => ({ ...outside, service: service.url.href }),
    plugin: { retryServiceApiKey: 'key' },
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
  const at = world.clock.now().plus({ hours: 30 });
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
  expect(toldOf('req_hopeless')).toEqual([expect.objectContaining({ outcome: 'refused' })]);
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
