import { createStripeClient } from '../../src/clients/stripe-client.ts';
import { type HttpStub, type StubAnswer, startHttpStub } from '../support/http-stub.ts';

let answer: StubAnswer;
let stub: HttpStub;
beforeAll(async () => {
  stub = await startHttpStub(() => answer);
});
afterAll(() => stub.stop());

const client = () =>
  createStripeClient({ stripe: { secretKey: 'sk_test_1', webhookSecrets: ['whsec_1'], apiBase: stub.url } });

const branding = (value: unknown) => ({ id: 'acct_1', object: 'account', settings: { branding: value } });
const error = (status: number, type: string) => ({ status, body: { error: { type, message: 'no' } } });

test.each<[string, StubAnswer, string | undefined]>([
  ['a colour', { status: 200, body: branding({ primary_color: '#0a7a5c' }) }, '#0a7a5c'],
  ['no colour', { status: 200, body: branding({ primary_color: null }) }, undefined],
  ['no branding', { status: 200, body: branding(undefined) }, undefined],
  ['no settings', { status: 200, body: { id: 'acct_1', object: 'account' } }, undefined],
  ['a key that may not read it', error(403, 'invalid_request_error'), undefined],
])('%s', async (_, given, expected) => {
  answer = given;
  expect(await client().findBrandColor('own')).toBe(expected);
});

test('an answer that tells nothing is an error, so that it is asked again', async () => {
  answer = error(401, 'invalid_request_error');
  await expect(client().findBrandColor('own')).rejects.toMatchObject({ statusCode: 401 });
});
