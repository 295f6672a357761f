/** The lines for a team's channel, as docs/how-to/alerts.md describes `slack:` and `slack+names:` of NOTIFY. */
import { openChannels } from '../../src/plugin/store/tables/host-events.ts';
import { acceptsFirst, declines, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { startReceiver } from '../support/http/event-receiver.ts';
import { callBack, failingInvoice, instruct } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
let plain: Awaited<ReturnType<typeof startReceiver>>;
let named: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  [plain, named] = [await startReceiver(), await startReceiver()];
  world = await createWorld({
    isRemote: true,
    plugin: {
      retryMode: 'exclusive',
      afterGivingUp: 'leave',
      notify: `slack:${plain.url}, slack+names:${named.url}`,
    },
  });
});
afterAll(async () => {
  await world?.stop();
  await Promise.all([plain?.stop(), named?.stop()]);
});
afterEach(async () => {
  await world.reset();
  await openChannels(world.plugin.parts.database, ['team'], world.clock.now());
  for (const receiver of [plain, named]) receiver.received.length = 0;
});

const linesOf = ({ received }: typeof plain) =>
  received.map(({ body }) => JSON.parse(body).text).filter((text) => !text.startsWith('Attention'));

test('a recovery is one line, with a name only where it is asked for', async () => {
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'), {
    name: 'Ada <!channel>',
  });
  await world.advance({ hours: 25 });
  await instruct(world, invoiceId, 'RETRY');
  await world.advance({ minutes: 5 });
  const page = `${world.url}/console/invoices/${invoiceId}`;
  expect(linesOf(plain)).toEqual([`Recovered: $20.00, ${page}`]);
  expect(linesOf(named)).toEqual([`Recovered: $20.00, Ada !channel, ${page}`]);
});

test('a given-up invoice is one line with the reason as its code', async () => {
  const { invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('insufficient_funds')));
  await callBack(world, { id: 'end_1', type: 'complete_dunning', created: 'now', data: { invoiceId } });
  await world.advance({ minutes: 5 });
  expect(linesOf(plain)).toEqual([
    `Given up: $20.00, dunning completed, ${world.url}/console/invoices/${invoiceId}`,
  ]);
});
