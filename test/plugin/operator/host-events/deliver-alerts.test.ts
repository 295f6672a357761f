/** What needs attention is told once, and its end once. */

import { lookForAlerts } from '../../../../src/plugin/operator/host-events/deliver-alerts.tsx';
import { ALERT_TITLES } from '../../../../src/plugin/operator/text/alerts/describe-alert.ts';
import { ALL_ACCOUNTS, pauseEffects } from '../../../../src/plugin/store/tables/retry/pauses.ts';
import { startReceiver } from '../../../support/http/event-receiver.ts';
import { METRICS_TOKEN, scrape } from '../../../support/http/scrape.ts';
import { createWorld, type World } from '../../../support/world.ts';

let world: World;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  receiver = await startReceiver();
  world = await createWorld({
    isRemote: true,
    plugin: {
      notify: `${receiver.url}/hook, slack:${receiver.url}, mailto:ops@merchant.example, mailto:boss@merchant.example`,
      metricsToken: METRICS_TOKEN,
    },
  });
});
afterAll(async () => {
  await world?.stop();
  await receiver?.stop();
});
beforeEach(() => {
  receiver.received.length = 0;
  world.email.emails.length = 0;
});

const received = () => receiver.received.map(({ body }) => JSON.parse(body));
const told = () => received().filter(({ type }) => type !== undefined);
const toldInSlack = () => received().filter(({ type }) => type === undefined);
const attention = async () => (await scrape(world.url)).of('payment_retry_attention');
const pause = () =>
  pauseEffects(world.plugin.parts.database, {
    account: ALL_ACCOUNTS,
    reason: 'a test',
    by: 'ada',
    at: world.clock.now(),
  });
const resume = () => world.query('delete from payment_retry.pauses');

test('a pause is reported once by webhook and email, in Slack’s form as one text, through a restart, and its end once', async () => {
  expect(await attention()).toEqual([]);
  await pause();
  const since = world.clock.now().toISO();
  await world.settle();
  expect(told()).toMatchObject([
    {
      type: 'alertRaised',
      concern: 'pausedEffects',
      at: since,
      title: `Attention: ${ALERT_TITLES.pausedEffects}`,
      runbook: expect.stringMatching(/docs\/how-to\/alerts\.md#pausedeffects$/),
      console: `${world.url}/console`,
    },
  ]);
  expect(toldInSlack()).toEqual([
    { text: expect.stringMatching(/^Attention: Payments, emails .*\n.*alerts\.md#pausedeffects\n/) },
  ]);
  expect(world.email.emails.map(({ to, subject }) => [to?.[0]?.address, subject])).toEqual([
    ['ops@merchant.example', told()[0].title],
    ['boss@merchant.example', told()[0].title],
  ]);
  expect(await attention()).toEqual(['concern=pausedEffects: 1']);

  await world.plugin.stop();
  await world.plugin.start();
  await world.advance({ hours: 3 });
  expect(told()).toHaveLength(1);

  await resume();
  await world.advance({ minutes: 4 });
  expect(told()).toHaveLength(1);
  await world.clock.set(world.clock.now().plus({ minutes: 2 }));
  await world.settle();
  expect(told().slice(1)).toMatchObject([{ type: 'alertResolved', concern: 'pausedEffects' }]);
  expect(new Date(told()[1].since).toISOString()).toBe(since);
  expect(world.email.emails).toHaveLength(4);
  expect(await attention()).toEqual([]);
});

test('of several processes that check at once, one sends an alert; an alert that nobody accepts is sent again', async () => {
  receiver.status = 500;
  await pause();
  const { database } = world.plugin.parts;
  const { config } = world.plugin;
  const deps = { database, clock: world.clock, config, mailer: undefined };
  await Promise.all([1, 2, 3, 4].map(() => lookForAlerts(deps)));
  await world.settle();
  expect(receiver.received).toHaveLength(1);
  receiver.status = 200;
  await world.clock.set(world.clock.now().plus({ seconds: 16 }));
  await world.settle();
  expect(told().map(({ id }) => id)).toEqual(Array(2).fill(told()[0].id));
  expect(world.email.emails).toHaveLength(2);
});
