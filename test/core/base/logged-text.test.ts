/** What stays of an error in the log, as libraries raise them. */
import nodemailer from 'nodemailer';
import Stripe from 'stripe';
import { cleanText, describeError } from '../../../src/core/base/logged-text.ts';
import { guardLogger } from '../../../src/core/base/logger.ts';
import { ENGINES, openTestDatabase } from '../../support/database/databases.ts';
import { startEmailCatcher } from '../../support/http/email-catcher.ts';
import { startHttpStub } from '../../support/http/http-stub.ts';
import { captureLog } from '../../support/log-lines.ts';

const MARKS = [
  'anna.marked@shop.example',
  'Anna Marked',
  'sk_test_marked0123456789',
  'marked-token-0123456789',
];

/** The line, which has none of the marks. */
function logged(err: unknown): Record<string, unknown> {
  const { logger, lines } = captureLog();
  guardLogger(logger, ['marked-token-0123456789']).error({ err }, 'it failed');
  for (const mark of [...MARKS, 'marked']) expect(lines.join('')).not.toContain(mark);
  return JSON.parse(lines[0] ?? '').err;
}

async function raisedBy(work: () => Promise<unknown>): Promise<unknown> {
  return work().then(
    () => Promise.reject(new Error('Nothing was raised.')),
    (error: unknown) => error,
  );
}

test.each(ENGINES)('an error of the $name database names the constraint and no value', async (engine) => {
  const { database, close } = await openTestDatabase(engine);
  try {
    await database.exec('create table payment_retry.marks (email text primary key, number int)');
    const insert = () => database.query('insert into payment_retry.marks (email) values ($1)', [MARKS[0]]);
    await insert();
    expect(logged(await raisedBy(insert))).toMatchObject({
      code: '23505',
      table: 'marks',
      constraint: 'marks_pkey',
      reason: expect.stringContaining('duplicate key'),
    });
    const misfit = () => database.query('select $1::text::int as number', [MARKS[1]]);
    expect(logged(await raisedBy(misfit))).toMatchObject({
      code: '22P02',
      reason: expect.stringContaining('invalid input syntax'),
      stack: expect.stringMatching(/^ +at /),
    });
    await database.exec('drop table payment_retry.marks');
  } finally {
    await close();
  }
});

test('a refusal of Stripe keeps its code, its parameter and the id of the request', async () => {
  const [email, name] = MARKS;
  const message = `Invalid email address: ${email}; no such customer: 'cus_123', "${name}"`;
  const stub = await startHttpStub(() => ({
    status: 400,
    headers: { 'request-id': 'req_1', 'x-mark': 'marked' },
    body: { error: { type: 'invalid_request_error', code: 'email_invalid', param: 'email', message } },
  }));
  const { hostname: host, port } = stub.url;
  const stripe = new Stripe(MARKS[2] ?? '', { host, port, protocol: 'http', maxNetworkRetries: 0 });
  const error = await raisedBy(() => stripe.customers.create({ email: email ?? '', name: name ?? '' }));
  await stub.stop();
  expect(logged(error)).toMatchObject({
    code: 'email_invalid',
    param: 'email',
    statusCode: 400,
    requestId: 'req_1',
    reason: `Invalid email address: [address]; no such customer: 'cus_123', "…"`,
  });
});

test("a mail server's answer, which repeats the address, is left out", async () => {
  const email = await startEmailCatcher();
  email.refusals.push(550);
  const transport = nodemailer.createTransport(email.url);
  const error = await raisedBy(() =>
    transport.sendMail({ from: 'a@merchant.example', to: `"${MARKS[1]}" <${MARKS[0]}>`, text: MARKS[1] }),
  );
  transport.close();
  await email.stop();
  expect(logged(error)).toMatchObject({ code: 'EENVELOPE', responseCode: 550, command: 'RCPT TO' });
});

test('text that is no JSON is not repeated, nor what an error carries along', () => {
  let error: unknown;
  try {
    JSON.parse(`{"name": ${MARKS[1]}`);
  } catch (raised) {
    error = raised;
  }
  const carrier = Object.assign(new Error('the callback failed', { cause: error }), {
    body: MARKS[1],
    headers: MARKS,
  });
  expect(logged(new AggregateError([carrier]))).toMatchObject({
    errors: [{ reason: 'the callback failed', cause: { type: 'SyntaxError' } }],
  });
});

test.each([
  [`to Anna <${MARKS[0]}>: no`, 'to Anna <[address]>: no'],
  ['GET /x?email=anna%40shop.example&y=1', 'GET /x?email=[address]&y=1'],
  ['postgres://app:secret@db.example:5432/x', 'postgres://db.example:5432/x'],
  ['Authorization: Bearer abc.def', 'Authorization: [hidden]'],
  [`the key ${MARKS[2]} of acct_1`, 'the key [hidden] of acct_1'],
  ['node_modules/@electric-sql/pglite', 'node_modules/@electric-sql/pglite'],
  ['at 12:30 in_1 of cus_1', 'at 12:30 in_1 of cus_1'],
  ['to a@b.example?cc=c@d.example&x', 'to [address]?cc=[address]&x'],
  ['no /card-update/* yes x/card-update/v1.a.b', 'no /card-update/* yes [hidden]'],
])('"%s" is logged as "%s"', (text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

test('a long text is cut between two words, before anything is looked for in it', () => {
  const { logger, lines } = captureLog();
  const secret = 'marked-token-0123456789';
  const long = `${'word '.repeat(399)}${secret} ${'a'.repeat(1_000_000)}`;
  guardLogger(logger, [secret]).error({ err: new Error(long), text: 'a'.repeat(1_000_000) }, long);
  const line = JSON.parse(lines[0] ?? '');
  expect(line).toMatchObject({ text: '…', msg: `${'word '.repeat(399)}…`, err: { reason: line.msg } });
});

test('a query that an error came from is not logged', () => {
  const cause = new URLSearchParams({ error_description: MARKS[1] ?? '' });
  expect(logged(new Error('refused', { cause }))).toMatchObject({
    cause: { type: 'object', reason: 'not an Error' },
  });
});

test('a request, a secret by its name and a secret by its value stay out of a line; an operator is named', () => {
  const { logger, lines } = captureLog();
  const request = new (class Incoming {
    headers = MARKS;
  })();
  const fields = {
    request,
    deep: { apiKey: 'x'.repeat(9), text: `?${MARKS[3]}` },
    operator: 'ben@ops.example',
  };
  guardLogger(logger, ['marked-token-0123456789']).info(fields, `of ${MARKS[0]}`);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    request: 'Incoming',
    deep: { apiKey: '[hidden]', text: '?[hidden]' },
    operator: 'ben@ops.example',
    msg: 'of [address]',
  });
  expect(describeError('a text').reason).toBe('a text');
});
