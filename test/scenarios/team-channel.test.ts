/** The lines for a team's channel, as docs/how-to/alerts.md describes `slack:` and `slack+names:` of NOTIFY. */
import { acceptsFirst, declines, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { startReceiver } from '../support/http/event-receiver.ts';
import { callBack, instruct, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { withoutEffects } from './fail-together.ts';

let world: World;
let plain: Awaited<ReturnType<typeof startReceiver>>;
let withNames: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  [plain, withNames] = [await startReceiver(), await startReceiver()];
  world = await createWorld({
    isRemote: true,
    plugin: {
      retryMode: 'exclusive',
      afterGivingUp: 'leave',
      notify: `slack:${plain.url}, slack+names:${withNames.url}`,
    },
  });
});
afterAll(async () => {
  await world?.stop();
  await Promise.all([plain?.stop(), withNames?.stop()]);
});
const linesOf = ({ received }: typeof plain) =>
  received.map(({ body }) => JSON.parse(body).text).filter((text) => !text.startsWith('Attention'));

test('a recovery is one line, with a name only where it is asked for, and a given-up invoice one with the reason as its code', async () => {
  const quiet = withoutEffects(world);
  const named = { name: 'Ada <!channel>' };
  const back = await subscribe(quiet, declinesTimes(1, 'insufficient_funds', {}, { last4: '1111' }), named);
  const given = await subscribe(quiet, acceptsFirst(1, declines('insufficient_funds')), named);
  await world.settle();
  const [recovered, lost] = [back, given].map(({ subscriptionId: id }) => world.sandbox.renewNow(id).id);
  await world.settle();
  const data = { invoiceId: lost };
  await callBack(world, { id: 'end_1', type: 'complete_dunning', created: 'now', data });
  await world.advance({ hours: 25 });
  await instruct(world, recovered ?? '', 'RETRY');
  await world.advance({ minutes: 5 });
  const pages = `${world.url}/console/invoices`;
  expect(linesOf(plain)).toEqual([
    `Given up: $20.00, dunning completed, ${pages}/${lost}`,
    `Recovered: $20.00, ${pages}/${recovered}`,
  ]);
  expect(linesOf(withNames)).toEqual([
    `Given up: $20.00, Ada !channel, dunning completed, ${pages}/${lost}`,
    `Recovered: $20.00, Ada !channel, ${pages}/${recovered}`,
  ]);
});
