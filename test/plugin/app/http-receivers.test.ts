/** What the two receivers, for Stripe and for the retry service, answer to good and bad input. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { DateTime } from 'luxon';
import {
  eventBody,
  INSTRUCTION,
  MIB,
  SECRETS,
  sign,
  startTestServer,
  type TestServer,
} from '../../support/http/test-server.ts';

let served: TestServer;
beforeAll(async () => {
  served = await startTestServer();
});
afterAll(() => served?.stop());

describe('POST /webhooks/stripe', () => {
  test('POST /webhooks/stripe acknowledges and records a signed event, once however often it comes', async () => {
    const body = eventBody('evt_once');
    for (let time = 0; time < 3; time += 1) {
      const { status, body: answer } = await served.postWebhook(body, sign(body));
      expect([status, answer]).toEqual([200, { received: true }]);
    }
    const together = await Promise.all([1, 2, 3].map(() => served.postWebhook(body, sign(body))));
    expect(together.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await served.count('events', 'evt_once')).toBe(1);
  });

  test('POST /webhooks/stripe takes the second secret while one replaces the other', async () => {
    const body = eventBody('evt_rotated');
    expect((await served.postWebhook(body, sign(body, { secret: SECRETS.oldSecret }))).status).toBe(200);
  });

  test('POST /webhooks/stripe keeps no body of an event that nothing is done about', async () => {
    const unused = {
      type: 'charge.succeeded',
      data: { object: { id: 'ch_1', billing_details: { email: 'a@b.test' } } },
    };
    const body = JSON.stringify({ ...JSON.parse(eventBody('evt_unused')), ...unused });
    expect((await served.postWebhook(body, sign(body))).status).toBe(200);
    const { database } = served.server.plugin.parts;
    const read = async () =>
      (
        await database.query<{ payload: string | null }>(
          `select payload from payment_retry.events where id = 'evt_unused'`,
        )
      )[0];
    expect((await read())?.payload ?? '').not.toContain('a@b.test');
    await served.server.plugin.runOnce();
    expect(await read()).toEqual({ payload: null });
  });

  test('POST /webhooks/stripe takes an event of no use however deep its fields are nested', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const unused = JSON.stringify({ ...JSON.parse(eventBody('evt_deep')), type: 'product.updated' });
    const body = unused.replace(/}$/, `,"odd":${deep}}`);
    expect((await served.postWebhook(body, sign(body))).status).toBe(200);
    expect(await served.count('events', 'evt_deep')).toBe(1);
  });

  const thin = { object: 'v2.core.event', type: 'v1.invoice.paid', created: '2026-03-02T10:00:00Z' };
  test.each([
    ['a snapshot event', JSON.parse(eventBody('evt_live')), 400],
    ['a thin event', { ...thin, id: 'evt_live' }, 400],
    ['an event of a connected account', { ...JSON.parse(eventBody('evt_live')), account: 'acct_9' }, 200],
  ])(
    'POST /webhooks/stripe answers %s of the other mode as Stripe should hear it',
    async (_what, event, status) => {
      const body = JSON.stringify({ ...event, livemode: true });
      expect((await served.postWebhook(body, sign(body))).status).toBe(status);
      expect(await served.count('events', 'evt_live')).toBe(status === 200 ? 1 : 0);
    },
  );

  const body = eventBody('evt_bad');
  test.each([
    ['without a signature', undefined],
    ['with an empty signature', ''],
    ['with a signature that is none', 'v1'],
    ['with an empty signature in its header', 't=1,v1='],
    ['with another secret', () => sign(body, { secret: 'whsec_of_somebody_else' })],
    ['with a signature of another body', () => sign(`${body} `)],
    ['signed more than five minutes ago', () => sign(body, { age: 301 })],
    ['signed for more than five minutes later', () => sign(body, { age: -301 })],
  ])('POST /webhooks/stripe refuses an event %s with 400', async (_what, signature) => {
    const answer = await served.postWebhook(body, typeof signature === 'function' ? signature() : signature);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ success: false, code: 'SIGNATURE_INVALID' });
    expect(await served.count('events', 'evt_bad')).toBe(0);
  });

  test('POST /webhooks/stripe logs one line for a secret that is wrong, however many webhooks come', async () => {
    for (let time = 0; time < 5; time += 1)
      expect((await served.postWebhook(body, sign(body, { secret: 'whsec_of_somebody_else' }))).status).toBe(
        400,
      );
    expect(served.logLines.filter((line) => line.includes('any configured secret'))).toHaveLength(1);
  });

  test.each([
    [601, 'ahead of'],
    [-601, 'behind'],
  ])(
    'POST /webhooks/stripe blames the clock where the secret fits and only the time does not (%i s)',
    async (age, word) => {
      const before = served.logLines.length;
      expect((await served.postWebhook(body, sign(body, { age }))).status).toBe(400);
      const lines = served.logLines.slice(before).join('');
      expect(lines).toContain(`this machine's clock is 10 min ${word} its time`);
      expect(lines).not.toContain('STRIPE_WEBHOOK_SECRET');
    },
  );

  test.each(['', 'Stripe-Signature: v1\r\n'])(
    'POST /webhooks/stripe refuses a body without a signature (%j) unread',
    async (header) => {
      const { port, hostname, host } = new URL(served.server.url);
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST /webhooks/stripe HTTP/1.1\r\nHost: ${host}\r\n${header}Content-Length: ${MIB}\r\n\r\n{`,
      );
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toContain('400 Bad Request');
      socket.destroy();
    },
  );

  test('POST /webhooks/stripe takes an event that was signed just under five minutes ago', async () => {
    const late = eventBody('evt_late');
    expect((await served.postWebhook(late, sign(late, { age: 299 }))).status).toBe(200);
  });

  test.each([
    ['nothing', ''],
    ['garbage', 'not json at all'],
    ['a number', '42'],
    ['null', 'null'],
    ['a list', '[]'],
    ['an event without an id', eventBody('evt', { id: undefined })],
    ['an event whose id is no text', eventBody('evt', { id: 7 })],
    ['an event whose id has control characters', eventBody('evt\u0000')],
    ['an event without a type', eventBody('evt_typeless', { type: undefined })],
    ['an event without a time', eventBody('evt_timeless', { created: undefined })],
    ['an event of the year 300000', eventBody('evt_far', { created: 9_400_000_000_000_000 })],
    [
      'a thin event without a time',
      JSON.stringify({ id: 'evt_thin', object: 'v2.core.event', type: 'v1.billing.meter.no_meter_found' }),
    ],
  ])('POST /webhooks/stripe refuses %s with 400, though it is signed', async (_what, text) => {
    const answer = await served.postWebhook(text, sign(text));
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ success: false, message: expect.any(String) });
  });

  test.each([
    ['a list of events', `[${eventBody('evt_listed')}]`, /list of events/],
    ['what is no JSON', 'a=b', /not JSON/],
  ])('POST /webhooks/stripe names %s with a good signature for what it is', async (_what, text, named) => {
    const { status, body } = await served.postWebhook(text, sign(text));
    expect([status, body.code]).toEqual([400, 'REQUEST_INVALID']);
    expect(body.message).toMatch(named);
  });

  test('POST /webhooks/stripe records a thin event as of the account that its context ends with', async () => {
    const text = JSON.stringify({
      id: 'evt_thin',
      object: 'v2.core.event',
      type: 'v1.invoice.paid',
      created: '2026-10-01T08:00:00.5Z',
      context: 'org_1/acct_9',
      surprise: { of: ['a', 'newer', 'version'] },
    });
    expect((await served.postWebhook(text, sign(text, { secret: 'whsec_another_secret' }))).status).toBe(400);
    expect((await served.postWebhook(text, sign(text))).status).toBe(200);
    const { database } = served.server.plugin.parts;
    const rows = await database.query(
      `select account, type, created_at from payment_retry.events where id = 'evt_thin'`,
    );
    expect(rows).toEqual([
      {
        account: 'acct_9',
        type: 'v1.invoice.paid',
        createdAt: DateTime.fromISO('2026-10-01T08:00:00.500Z', { zone: 'utc' }),
      },
    ]);
  });

  test('POST /webhooks/stripe refuses a body of more than 1 MiB with 413', async () => {
    const big = eventBody('evt_big', { padding: 'x'.repeat(MIB) });
    const answer = await served.postWebhook(big, sign(big));
    expect([answer.status, answer.body.code]).toEqual([413, 'REQUEST_TOO_LARGE']);
  });
});

describe('POST /recovery_action', () => {
  test('POST /recovery_action acknowledges an instruction, and again when it is repeated', async () => {
    const messages = [
      'Recorded; nothing is done: the service made no suggestion (no_suggestion)',
      'Known already; nothing new is done',
      'Known already; nothing new is done',
    ];
    for (const message of messages) {
      const { status, body } = await served.postInstruction(INSTRUCTION);
      expect([status, body]).toEqual([200, { success: true, message }]);
    }
    expect(await served.count('instructions', 'request_1', 'request_id')).toBe(1);
  });

  test.each([
    ['the second token', `Bearer ${SECRETS.oldToken}`],
    ['a scheme in lower case', `bearer ${SECRETS.newToken}`],
    ['Basic', `Basic ${Buffer.from(`service:${SECRETS.password}`).toString('base64')}`],
  ])('POST /recovery_action takes %s as authorization', async (_what, authorization) => {
    expect((await served.postInstruction(INSTRUCTION, authorization)).status).toBe(200);
  });

  test.each([
    ['no token', ''],
    ['another token', 'Bearer somebody-elses'],
    ['a token with something behind it', `Bearer ${SECRETS.newToken}x`],
    ['a token with something before it', `Bearer x${SECRETS.newToken}`],
    ['both tokens', `Bearer ${SECRETS.newToken},${SECRETS.oldToken}`],
    ['a token under another scheme', `Basic ${SECRETS.newToken}`],
    ['a wrong password', `Basic ${Buffer.from('service:guess').toString('base64')}`],
  ])('POST /recovery_action refuses %s with 401', async (_what, authorization) => {
    const answer = await served.postInstruction({ ...INSTRUCTION, requestId: 'request_401' }, authorization);
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(await served.count('instructions', 'request_401', 'request_id')).toBe(0);
  });

  test('POST /recovery_action answers a wrong token before it reads the body', async () => {
    const answer = await served.postInstruction('x'.repeat(3 * MIB), 'Bearer wrong');
    expect(answer.status).toBe(401);
  });

  test.each(['', 'not json', '{"requestId":', 'undefined'])(
    'POST /recovery_action refuses %j, which is not JSON, with 400',
    async (text) => {
      const answer = await served.postInstruction(text);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ success: false, message: expect.stringContaining('JSON') });
    },
  );

  const fields = ['requestId', 'invoiceId', 'actionSuggestion', 'idealRetryTime'] as const;
  test.each(fields.flatMap((field) => [undefined, null, 7, '', {}].map((value) => ({ field, value }))))(
    'POST /recovery_action names the field where $field is $value',
    async ({ field, value }) => {
      const answer = await served.postInstruction({ ...INSTRUCTION, [field]: value });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain(field);
    },
  );

  test.each(['requestId', 'invoiceId', 'subscriptionId'])(
    'POST /recovery_action refuses control characters and half characters in %s',
    async (field) => {
      for (const text of ['a\u0000b', 'a\nb', '\u001f', 'in_\ud83d']) {
        const answer = await served.postInstruction({ ...INSTRUCTION, [field]: text });
        expect(answer.status).toBe(400);
        expect(answer.body.message).toContain(field);
      }
    },
  );

  test('POST /recovery_action refuses bytes that are not UTF-8, and stores nothing under a mangled id', async () => {
    const text = JSON.stringify({ ...INSTRUCTION, requestId: 'request_caf\u00e9' });
    const answer = await fetch(`${served.server.url}/recovery_action`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRETS.newToken}`, 'content-type': 'application/json' },
      body: Buffer.from(text, 'latin1'),
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'REQUEST_INVALID' }]);
    expect(await served.count('instructions', 'request_caf\ufffd', 'request_id')).toBe(0);
    expect((await served.postInstruction(text)).status).toBe(200);
    expect(await served.count('instructions', 'request_caf\u00e9', 'request_id')).toBe(1);
  });

  test.each(['tomorrow', '2026-02-30T10:00:00Z', '2026-03-03T25:00:00Z'])(
    'POST /recovery_action refuses %s, which is no time',
    async (idealRetryTime) => {
      const answer = await served.postInstruction({ ...INSTRUCTION, idealRetryTime });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain('idealRetryTime');
    },
  );

  test.each([
    ['id', { id: 7, type: 'recovery_action', data: INSTRUCTION }],
    ['data.invoiceId', { id: 'evt_1', type: 'recovery_action', data: { ...INSTRUCTION, invoiceId: 7 } }],
    ['data.invoiceId', { id: 'evt_1', type: 'pause_collection', data: {} }],
  ])('POST /recovery_action names the wrong field %s of an envelope', async (field, body) => {
    const answer = await served.postInstruction(body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(field);
  });

  test.each([[[]], [42], ['"text"'], ['null'], ['true']])(
    'POST /recovery_action refuses the body %j with 400',
    async (body) => {
      expect((await served.postInstruction(body)).status).toBe(400);
    },
  );

  test('POST /recovery_action refuses a body of more than 1 MiB with 413', async () => {
    const answer = await served.postInstruction({ ...INSTRUCTION, padding: 'x'.repeat(MIB) });
    expect([answer.status, answer.body.code]).toEqual([413, 'REQUEST_TOO_LARGE']);
  });

  test('POST /recovery_action keeps text in any script, also characters that a database may refuse elsewhere', async () => {
    const answer = await served.postInstruction({
      ...INSTRUCTION,
      requestId: 'request_🛒_é_中',
      note: 'nul \u0000 and half a pair \ud800',
    });
    expect(answer.status).toBe(200);
  });
});
