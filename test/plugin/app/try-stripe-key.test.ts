/** What is said of a Stripe key at the start. */

import { tryStripeKey } from '../../../src/plugin/app/open-stripe.ts';
import { createStripeClient } from '../../../src/plugin/clients/stripe-client.ts';
import { loadConfig } from '../../../src/plugin/settings/config.ts';
import { type StubAnswer, startHttpStub } from '../../support/http/http-stub.ts';
import { captureLog } from '../../support/log-lines.ts';

const KEY = 'rk_test_a_key_of_these_tests';

async function tryAt(apiBase: string): Promise<{ error: unknown; lines: string[] }> {
  const { logger, lines } = captureLog();
  const config = loadConfig(
    { retryMode: 'advisory', stripeSecretKey: KEY, stripeWebhookSecret: 'whsec_1', stripeApiBase: apiBase },
    {},
  );
  const error: unknown = await tryStripeKey(createStripeClient(config), logger).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(lines.join('')).not.toContain(KEY);
  return { error, lines };
}

async function tryWith(answer: StubAnswer) {
  const stripe = await startHttpStub(() => answer);
  try {
    return await tryAt(stripe.url.href);
  } finally {
    await stripe.stop();
  }
}

const refusal = (status: number, code?: string): StubAnswer => ({
  status,
  headers: { 'request-id': 'req_1' },
  body: { error: { type: 'invalid_request_error', code, message: `Refused: ${KEY}` } },
});

test('a good key is not spoken of', async () => {
  const body = { object: 'list', data: [], has_more: false, url: '/v1/events' };
  expect(await tryWith({ status: 200, body })).toEqual({ error: undefined, lines: [] });
});

test('a key that Stripe does not know ends the start as a wrong setting', async () => {
  const { error } = await tryWith(refusal(401));
  expect(error).toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('(invalid_api_key)'),
  });
});

test('a restricted key that may not do what was tried is told apart, by the permission', async () => {
  const { error, lines } = await tryWith(refusal(403));
  expect([error, lines.length]).toEqual([undefined, 1]);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ permission: 'Events (read)' });
  expect(lines[0]).toContain('good but lacks a permission');
});

test.each([
  [400, undefined, '(status 400)'],
  [403, 'account_invalid', '(account_invalid)'],
])(
  'a key of no account, for which Stripe answers %i, ends the start as a wrong setting',
  async (status, code, said) => {
    const { error, lines } = await tryWith(refusal(status, code));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(said) });
    expect(String(error)).toContain('STRIPE_CONTEXT');
    expect(lines).toEqual([]);
  },
);

describe('the key of an organization', () => {
  const key = {
    retryMode: 'observe' as const,
    stripeSecretKey: 'sk_org_test_1',
    stripeWebhookSecret: 'whsec_1',
  };

  it('is refused before anything is opened where no account is named', () => {
    expect(() => loadConfig(key, {})).toThrow(/STRIPE_CONTEXT is required .*acct_/);
  });

  it.each([
    ['own', 'acct_own'],
    ['acct_connected', 'acct_own/acct_connected'],
  ])('names the account in each request: for %s the context is %s', async (account, context) => {
    const stub = await startHttpStub(() => ({
      status: 404,
      body: { error: { type: 'invalid_request_error' } },
    }));
    try {
      const config = loadConfig({ ...key, stripeContext: 'acct_own', stripeApiBase: stub.url.href }, {});
      expect(config.livemode).toBe(false);
      await createStripeClient(config).findCustomer(account, 'cus_1');
      expect(stub.requests.map(({ headers }) => headers['stripe-context'])).toEqual([context]);
      expect(stub.requests[0]?.headers['stripe-account']).toBeUndefined();
    } finally {
      await stub.stop();
    }
  });
});

test.each<[string, StubAnswer, string]>([
  ['out of order', refusal(500), 'status 500'],
  ['too busy', refusal(429), 'status 429'],
  ['cutting the connection', 'drop', 'ECONNRESET'],
])('Stripe %s is a warning without a stack', async (_what, answer, reason) => {
  const { error, lines } = await tryWith(answer);
  expect(error).toBeUndefined();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ reason, msg: expect.stringContaining('going on') }),
  ]);
});

test('Stripe that nobody reaches is a warning', async () => {
  const { error, lines } = await tryAt('http://127.0.0.1:9');
  expect([error, lines.length]).toEqual([undefined, 1]);
  expect(lines[0]).toContain('ECONNREFUSED');
});
