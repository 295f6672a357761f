/** Who gets through to the Stripe App's backend: requests that Stripe signed, for accounts that are served. */
import { z } from 'zod';
import { noteAccess } from '../../../../src/plugin/store/tables/stored-accounts.ts';
import {
  type AppHarness,
  bodyOf,
  CONNECTED_ID,
  type Fields,
  NOW,
  OLD_SECRET,
  SECRET,
  sign,
  startApp,
} from './app-harness.ts';

let app: AppHarness;
beforeAll(async () => {
  app = await startApp();
});
beforeEach(() => app.clear());
afterAll(() => app?.stop());

const sentBody = z.object({ signed: z.string(), parameters: z.string() });
const coded = z.object({ code: z.string() });
const codeOf = async (response: Response) => [response.status, coded.parse(await response.json()).code];

test.each([SECRET, OLD_SECRET])(
  'a request signed with %s, one of two secrets, is answered',
  async (secret) => {
    const body = bodyOf();
    const response = await app.post(body, sign(body, NOW, secret));
    expect(await response.json()).toEqual({ success: true, answer: { id: 'in_1', isKnown: false } });
  },
);

test.each<[string, () => Promise<Response>]>([
  ['without a signature', () => app.post(bodyOf())],
  ['with an empty signature', () => app.post(bodyOf(), `t=${Math.floor(NOW.toSeconds())},v1=`)],
  ['signed with another secret', () => app.post(bodyOf(), sign(bodyOf(), NOW, 'absec_other'))],
  ['signed 301 seconds ago', () => postSigned(bodyOf(), -301)],
  ['signed for 301 seconds later', () => postSigned(bodyOf(), 301)],
  ['with a changed text', () => postChanged((body) => body.replace('invoice', 'settings'))],
  ['for another account', () => postChanged((body) => body.replace('acct_own1', 'acct_shop1'))],
  ['with a field more than was signed', () => postChanged((body) => body.replace('"{', '"{\\"extra\\":1,'))],
  ['with its fields in another order', () => postChanged(turnRound)],
  ['with other parameters', () => postChanged((body) => body.replace(/in_1(?=[^{]*$)/, 'in_2'))],
  [
    'with its parameters written otherwise',
    () => postChanged((body) => body.replace(/:\\"in_1/, ': \\"in_1')),
  ],
  ['with the digest of other parameters', () => app.ask({ parameters_sha256: 'a'.repeat(64) })],
  ['with an empty digest', () => app.ask({ parameters_sha256: '' })],
])('a request %s is refused as not signed', async (_, send) => {
  expect(await codeOf(await send())).toEqual([400, 'SIGNATURE_INVALID']);
});

const postSigned = (body: string, seconds: number) => app.post(body, sign(body, NOW.plus({ seconds })));
const postChanged = (change: (body: string) => string) => {
  const body = bodyOf();
  expect(change(body)).not.toBe(body);
  return app.post(change(body), sign(body));
};
const turnRound = (body: string) => {
  const { signed, parameters } = sentBody.parse(JSON.parse(body));
  const turned = Object.fromEntries(Object.entries(JSON.parse(signed)).reverse());
  return JSON.stringify({ signed: JSON.stringify(turned), parameters });
};

test('a signature of 299 seconds ago is taken', async () => {
  expect((await postSigned(bodyOf(), -299)).status).toBe(200);
});

test.each<[string, Fields]>([
  ['no request', { request: undefined }],
  ['no mode', { mode: undefined }],
  ['no digest of its parameters', { parameters_sha256: undefined }],
  ['its parameters in the signed text, too', { secret: '{"id":"in_1"}' }],
  ['no nonce', { nonce: undefined }],
  ['no roles', { stripe_roles: undefined }],
  ['no user', { user_id: undefined }],
  ['no account', { account_id: undefined }],
  ['a field that nobody knows', { extra: 'x' }],
  ['an account that is none', { account_id: 'own' }],
  ['parameters that are no JSON', { parameters: '{' }],
  ['parameters without the id', { parameters: '{}' }],
])('a signed request with %s is refused as unfit', async (_, fields) => {
  expect(await codeOf(await app.ask(fields))).toEqual([400, 'REQUEST_INVALID']);
});

test.each([
  '',
  '{}',
  '[]',
  'null',
  '{"signed":"{}"}',
  '{"parameters":"{}"}',
  '{"signed":1,"parameters":"{}"}',
  '{"signed":"{}","parameters":"{}","more":1}',
])('a body of another form is refused as unfit (%j)', async (body) => {
  expect(await codeOf(await app.post(body, sign(bodyOf())))).toEqual([400, 'REQUEST_INVALID']);
});

test.each<[string, Fields, number, string]>([
  ['of an account that is not served', { account_id: 'acct_stranger1' }, 403, 'account_unknown'],
  ['in live mode, to a server with a test key', { mode: 'live' }, 409, 'other_mode'],
  ['that this version does not know', { request: 'fortune' }, 404, 'request_unknown'],
  ['named as an object has it by itself', { request: 'constructor' }, 404, 'request_unknown'],
])('a signed request %s is refused with its code', async (_, fields, status, code) => {
  expect(await codeOf(await app.ask(fields))).toEqual([status, code]);
});

test('an account that has revoked access is refused, and served again once it gives it', async () => {
  const ask = () => app.ask({ account_id: CONNECTED_ID });
  expect((await ask()).status).toBe(200);
  await noteAccess(app.database, CONNECTED_ID, { kind: 'deauthorized', at: NOW });
  expect(await codeOf(await ask())).toEqual([403, 'account_disconnected']);
  await noteAccess(app.database, CONNECTED_ID, { kind: 'authorized', at: NOW.plus({ seconds: 5 }) });
  expect((await ask()).status).toBe(200);
});

test('the browser may ask from the frame of a view, whose origin is null', async () => {
  const asked = await fetch(`${app.url}/app/request`, { method: 'OPTIONS', headers: { origin: 'null' } });
  expect(asked.status).toBe(204);
  expect(Object.fromEntries(asked.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'Stripe-Signature, Content-Type',
  });
  expect(asked.headers.has('access-control-allow-credentials')).toBe(false);
  // The view can read why it was refused, too.
  expect((await app.post('{}')).headers.get('access-control-allow-origin')).toBe('*');
});

test('a long name of a field is cut, in the answer and in the log', async () => {
  const name = 'a'.repeat(60_000);
  const answer = await (await app.ask({ [name]: 'x' })).text();
  expect(answer).toContain('Unrecognized key: \\"aaa');
  expect(answer.length).toBeLessThan(300);
  expect(app.logLines.findLast((line) => line.includes('aaa'))?.length).toBeLessThan(500);
});

test('without STRIPE_APP_SECRET the path is unknown', async () => {
  const off = await startApp({ stripeAppSecret: undefined }, app);
  const body = bodyOf();
  expect((await off.post(body, sign(body))).status).toBe(404);
  await off.stop();
});

test('what is refused is logged without what was asked', async () => {
  await app.ask({ account_id: 'acct_stranger1', parameters: '{"id":"in_secret"}' });
  const line = app.logLines.findLast((text) => text.includes('acct_stranger1')) ?? '';
  expect(line).toContain('account_unknown');
  expect(line).not.toContain('in_secret');
});
