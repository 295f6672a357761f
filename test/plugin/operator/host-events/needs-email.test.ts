/** What waits for a person comes by email, once a day, in the morning on the merchant's clocks. */
import { DateTime } from 'luxon';
import { lookForAlerts } from '../../../../src/plugin/operator/host-events/deliver-alerts.tsx';
import { holdInvoice } from '../../../../src/plugin/store/tables/retry/holds.ts';
import { createWorld, type World } from '../../../support/world.ts';
import { insertFailedInvoice } from '../console/failure-rows.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({
    isRemote: true,
    // Nine in the evening in Tokyo.
    start: '2026-03-02T12:00:00Z',
    plugin: { notify: 'mailto:ops@merchant.example, mailto:boss@merchant.example', timeZone: 'Asia/Tokyo' },
  });
  await world.settle();
});
afterAll(() => world?.stop());
beforeEach(() => {
  world.email.emails.length = 0;
});

const until = async (iso: string) => {
  await world.clock.set(DateTime.fromISO(iso, { zone: 'utc' }));
  await world.settle();
};
const fail = (id: string, reason?: string) =>
  insertFailedInvoice(world.plugin.parts.database, {
    id,
    at: world.clock.now().minus({ days: 2 }),
    ...(reason ? { reason } : {}),
  });
/** Alerts beside it, since the clock jumps. */
const needsEmails = () =>
  world.email.emails.filter(({ subject }) => !/^(Attention|Resolved): /.test(String(subject)));
const subjects = () => needsEmails().map(({ to, subject }) => [to?.[0]?.address, subject]);

test('no email comes where nothing waits, or only what a person stopped', async () => {
  await until('2026-03-03T00:00:00Z');
  expect(subjects()).toEqual([]);
  await fail('in_stopped');
  const { database } = world.plugin.parts;
  await holdInvoice(database, {
    account: 'own',
    invoiceId: 'in_stopped',
    reason: 'called',
    at: world.clock.now(),
  });
  await until('2026-03-04T00:00:00Z');
  expect(subjects()).toEqual([]);
});

test('at eight in the morning one email says by cause what waits, and nobody is named in it', async () => {
  for (const id of ['in_1', 'in_2']) await fail(id, 'highest_risk_level');
  await until('2026-03-04T22:59:00Z');
  expect(subjects()).toEqual([]);
  await until('2026-03-04T23:00:00Z');
  expect(subjects()).toEqual([
    ['ops@merchant.example', '2 things wait for you'],
    ['boss@merchant.example', '2 things wait for you'],
  ]);
  const text = String(needsEmails()[0]?.text);
  expect(text.trim().split('\n')).toEqual([
    'Blocked by Stripe Radar: 2, $40.00',
    `${world.url}/console/needs`,
  ]);
  expect(`${text}${needsEmails()[0]?.html}`).not.toMatch(/Ada|example\.com|in_1/);
});

test('of several processes one sends it, and the next comes a day later', async () => {
  const { database } = world.plugin.parts;
  const deps = { database, clock: world.clock, config: world.plugin.config, mailer: undefined };
  await until('2026-03-05T08:00:00Z');
  expect(subjects()).toEqual([]);
  await world.clock.set(DateTime.fromISO('2026-03-05T23:30:00Z', { zone: 'utc' }));
  await Promise.all([1, 2, 3].map(() => lookForAlerts(deps)));
  await world.settle();
  expect(subjects()).toHaveLength(2);
});
