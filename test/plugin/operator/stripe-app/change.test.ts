/** What the views have done: once for each signed request, by those whose role allows it, in their own account only. */

import { randomUUID } from 'node:crypto';
import { DateTime } from 'luxon';
import { z } from 'zod';
import { listAbilities, mayRead } from '../../../../src/plugin/operator/stripe-app/app-router.ts';
import { type Config, loadConfig } from '../../../../src/plugin/settings/config.ts';
import { listAudit } from '../../../../src/plugin/store/tables/audit.ts';
import { type AppHarness, bodyOf, CONNECTED_ID, type Fields, NOW, sign, startApp } from './app-harness.ts';
import { insertInvoice, insertPlanned } from './stored-case.ts';

let app: AppHarness;
const SETTINGS = {
  retryMode: 'advisory' as const,
  stripeSecretKey: 'sk_test_1',
  stripeWebhookSecret: 'whsec_1',
};

beforeAll(async () => {
  app = await startApp();
});
beforeEach(async () => {
  await app.clear();
  await insertInvoice(app.database, { id: 'in_1' });
  await insertPlanned(app.database, { id: 'in_1' });
});
afterAll(() => app?.stop());

const coded = z.object({ code: z.string() });
const fieldsOf = (request: string, parameters: object): Fields => ({
  request,
  parameters: JSON.stringify(parameters),
});
const ask = async (request: string, parameters: object, more: Fields = {}) => {
  const response = await app.ask({ ...fieldsOf(request, parameters), ...more });
  return [response.status, coded.safeParse(await response.json()).data?.code];
};
const isStopped = async () =>
  JSON.stringify((await app.answer('invoice', { id: 'in_1' })).status).includes('A person stopped it');
const kindsOf = async () => (await listAudit(app.database, {})).map(({ kind }) => kind);

test('an invoice is stopped and released, and the audit names the user, the way and the reason', async () => {
  expect(await app.answer('stop', { id: 'in_1', reason: 'she called' })).toMatchObject({ code: 'stopped' });
  expect(await isStopped()).toBe(true);
  expect(await app.answer('release', { id: 'in_1' })).toMatchObject({ code: 'released' });
  expect(await isStopped()).toBe(false);
  const lines = await listAudit(app.database, { about: 'in_1' });
  const stopped = lines.find(({ kind }) => kind === 'operator.stopped');
  const detail = { by: 'usr_1', via: 'stripe_app', note: 'she called' };
  expect(stopped).toMatchObject({ account: 'own', kind: 'operator.stopped', detail });
});

test.each(['a\u0000b', 'half a \ud83d character', 'a\nb'])(
  'a reason that cannot be kept (%j) is refused',
  async (reason) => {
    expect(await ask('stop', { id: 'in_1', reason })).toEqual([400, 'REQUEST_INVALID']);
    expect(await kindsOf()).toEqual([]);
  },
);

test('an invoice is postponed to a moment of the reader, and not into the past', async () => {
  const until = NOW.plus({ days: 2 }).toISO();
  const reader = { locale: 'de-DE', timeZone: 'Asia/Tokyo' };
  const day = NOW.plus({ days: 2 }).setZone(reader.timeZone).setLocale(reader.locale);
  expect(await app.answer('postpone', { id: 'in_1', until, ...reader })).toMatchObject({
    code: 'postponed',
    text: `The invoice is neither charged nor emailed about until ${day.toLocaleString(DateTime.DATETIME_MED)} (1 planned action moved).`,
  });
  const moved = NOW.plus({ days: 2 }).setLocale('en-US').toLocaleString(DateTime.DATETIME_MED);
  const { status } = await app.answer('invoice', { id: 'in_1' });
  expect(JSON.stringify(status)).toContain(`Payment at ${moved}`);
  const past = NOW.minus({ days: 2 }).toISO();
  expect(await app.answer('postpone', { id: 'in_1', until: past })).toMatchObject({
    outcome: 'refused',
    code: 'not_in_the_future',
  });
});

test('a signed request that changes something counts once, however often it arrives', async () => {
  const body = bodyOf(fieldsOf('stop', { id: 'in_1' }));
  const answers = await Promise.all([1, 2, 3].map(() => app.post(body, sign(body))));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  await app.answer('release', { id: 'in_1' });
  const replayed = await app.post(body, sign(body));
  expect(coded.parse(await replayed.json())).toEqual({ code: 'replayed' });
  expect(await isStopped()).toBe(false);
});

test('what only reads may be asked again with the same signature', async () => {
  const body = bodyOf();
  for (const _ of [1, 2]) expect((await app.post(body, sign(body))).status).toBe(200);
});

test('a nonce of one account is free for another', async () => {
  const nonce = randomUUID();
  await insertInvoice(app.database, { id: 'in_2', account: CONNECTED_ID });
  expect(await ask('stop', { id: 'in_1' }, { nonce })).toEqual([200, undefined]);
  expect(await ask('stop', { id: 'in_2' }, { nonce, account_id: CONNECTED_ID })).toEqual([200, undefined]);
});

test.each([
  ['view_only', 'builtIn', 'stop'],
  ['admin', 'custom', 'stop'],
  [undefined, 'builtIn', 'stop'],
  ['analyst', 'builtIn', 'disconnect'],
])('the role %s (%s) may not %s, and nothing changes', async (id, type, request) => {
  const roles = [{ ...(id ? { id } : {}), name: 'Administrator', type }];
  const nonce = randomUUID();
  const refused = await ask(request, { id: 'in_1' }, { stripe_roles: roles, nonce });
  expect(refused).toEqual([403, 'role_missing']);
  expect(await kindsOf()).toEqual([]);
  expect(await ask(request, { id: 'in_1' }, { nonce })).toEqual([200, undefined]);
});

test.each([
  ['view_only', 'builtIn', 200],
  ['support_specialist', 'builtIn', 200],
  ['tax_analyst', 'builtIn', 403],
  ['identity_view_only', 'builtIn', 403],
  ['view_only', 'custom', 403],
])('the role %s (%s) reads with the answer %i', async (id, type, status) => {
  const answer = await app.ask({ stripe_roles: [{ id, name: 'Any', type }] });
  expect(answer.status).toBe(status);
});

test('the settings say which roles read and which act; who acts reads', async () => {
  const roles = {
    stripeAppRoles: [
      { id: 'tax_analyst', may: 'reader' },
      { id: 'custom:rescue', may: 'operator' },
    ],
  } satisfies Pick<Config, 'stripeAppRoles'>;
  const signed = (id: string, type: 'builtIn' | 'custom') => ({ stripe_roles: [{ id, name: 'Any', type }] });
  expect(mayRead(roles, signed('tax_analyst', 'builtIn'))).toBe(true);
  expect(listAbilities(roles, signed('tax_analyst', 'builtIn'))).toEqual([]);
  expect(mayRead(roles, signed('rescue', 'custom'))).toBe(true);
  expect(listAbilities(roles, signed('rescue', 'custom'))).toEqual(['operate']);
  expect(mayRead(roles, signed('rescue', 'builtIn'))).toBe(false);
  expect(listAbilities(roles, signed('admin', 'builtIn'))).toEqual(['configure']);
  const set = loadConfig({ ...SETTINGS, stripeAppRoles: 'tax_analyst=reader,custom:rescue=operator' }, {});
  expect(set).toMatchObject(roles);
});

test.each(['stop', 'release', 'sendEmailAgain'])(
  '%s does not reach the invoice of another account',
  async (name) => {
    await insertInvoice(app.database, { id: 'in_theirs', account: CONNECTED_ID });
    const given = await app.answer(name, { id: 'in_theirs' });
    expect(given).toMatchObject({ outcome: 'not_found', code: 'invoice_unknown' });
    const theirs = { ...fieldsOf(name, { id: 'in_1', account: 'own' }), account_id: CONNECTED_ID };
    expect(await app.answer(name, { id: 'in_1', account: 'own' }, theirs)).toMatchObject({
      outcome: 'not_found',
    });
    expect(await kindsOf()).toEqual([]);
  },
);

test('disconnecting pauses everything for the account alone, and connecting ends that', async () => {
  const theirs = { account_id: CONNECTED_ID };
  expect(await app.answer('disconnect', {}, theirs)).toMatchObject({
    code: 'paused',
    text: 'Disconnected. Nothing is charged, emailed or changed for this account.',
  });
  expect(await app.answer('settings', {}, theirs)).toMatchObject({ pause: { isForAll: false } });
  expect(await app.answer('settings')).toMatchObject({ pause: null });
  expect(await app.answer('connect', {}, theirs)).toMatchObject({ code: 'resumed' });
  expect(await app.answer('settings', {}, theirs)).toMatchObject({ pause: null });
});

test('a nonce is forgotten after a day, long after its signature', async () => {
  await app.answer('stop', { id: 'in_1' });
  await app.clock.set(NOW.plus({ hours: 25 }));
  await app.answer('release', { id: 'in_1' });
  const rows = await app.database.query('select nonce from payment_retry.app_nonces');
  expect(rows).toHaveLength(1);
  await app.clock.set(NOW);
});
