/** Every client, and everything that can be answered to it: a call ends, and nothing it started throws on its own. */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import fc from 'fast-check';
import { systemClock } from '../../../src/core/base/clock.ts';
import { createOpenId } from '../../../src/core/web/sign-in/open-id.ts';
import { checkMailServer, createMailer } from '../../../src/plugin/clients/mailer.ts';
import { IMPATIENT } from '../../../src/plugin/clients/patience.ts';
import { createServiceClients } from '../../../src/plugin/clients/service-client.ts';
import { createStripeClient } from '../../../src/plugin/clients/stripe-client.ts';
import { checkApp } from '../../../src/plugin/operator/checks/address-checks.ts';
import { alertReceivers } from '../../../src/plugin/operator/host-events/deliver-alerts.tsx';
import { outcomeOfError, outcomeOfInvoice } from '../../../src/plugin/retry/payment/outcome.ts';
import { postInstruction } from '../../../src/service/send/callback-client.ts';
import {
  ODD_ANSWERS,
  ODD_NO_OBJECTS,
  type OddAnswer,
  type OddServer,
  startOddServer,
} from '../../support/http/odd-answers.ts';
import { firstOf, IS_FULL_RUN, runs } from '../../support/runner/full-run.ts';

const AT_ONCE = 12;

let servers: OddServer[];
let greeter: OddServer;
const thrown: unknown[] = [];
const note = (error: unknown) => thrown.push(error);
beforeAll(async () => {
  servers = await Promise.all(Array.from({ length: AT_ONCE }, () => startOddServer()));
  greeter = await startOddServer({ isFirst: true });
  process.on('unhandledRejection', note).on('uncaughtException', note);
});
afterAll(async () => {
  process.off('unhandledRejection', note).off('uncaughtException', note);
  for (const server of [...servers, greeter]) await server.stop();
});

const NOW = systemClock.now();
const stripe = (apiBase: URL) => createStripeClient({ stripe: { secretKey: 'sk_test_1', apiBase } });
const service = (baseUrl: URL) => createServiceClients(() => ({ baseUrl, apiKey: 'key' }))('own');
const payment = { invoiceId: 'in_1', paymentMethod: undefined, idempotencyKey: 'key_1' };
const pay: Call = (url) => stripe(url).payInvoice('own', payment).then(outcomeOfInvoice, outcomeOfError);
const email = {
  to: 'a@b.example',
  subject: 's',
  html: 'h',
  text: 't',
  messageId: '<1@b.example>',
  about: { account: 'own', id: 'in_1', customer: 'cus_1', template: 't' },
};
const instruction = {
  requestId: 'r',
  invoiceId: 'in_1',
  subscriptionId: null,
  suggestion: 'ACTION_SUGGESTION_RETRY',
  idealRetryAt: NOW,
} as const;
const alert = {
  id: 1,
  eventId: 'e',
  type: 'alert',
  account: 'own',
  invoiceId: null,
  at: NOW,
  tries: 0,
  channel: 'alert_webhook',
  detail: { concern: 'x', since: NOW.toISO() },
} as const;
const backFromProvider = new URL('http://localhost/console/openid-callback');

type Call = (url: URL) => Promise<unknown>;

const CALLS: readonly (readonly [name: string, call: Call])[] = [
  ['a payment', pay],
  ['a delivery', (url) => service(url).ingest('subscriptions', [{ id: 'sub_1' }])],
  ['a listing', (url) => service(url).listRecoveryActions({ pageToken: '1' })],
  ['a callback', (url) => postInstruction({ baseUrl: url.href, token: 't' }, instruction, NOW)],
  [
    'the identity provider',
    (issuer) =>
      createOpenId({ issuer, clientId: 'c', clientSecret: 's', allowed: [] }, backFromProvider).begin(false),
  ],
  [
    'an address that is checked',
    (publicUrl) => checkApp({ publicUrl, stripeAppSecrets: ['absec_1'] }, systemClock),
  ],
  ['the key', (url) => stripe(url).tryKey()],
  ['an invoice', (url) => stripe(url).findPayableInvoice('own', 'in_1', IMPATIENT)],
  ['the account', (url) => stripe(url).findProfile('own')],
  ['a report', (url) => service(url).findRecoveryCases(0)],
  ['a customer', (url) => service(url).forgetCustomer('cus_1')],
];

/** Over all servers at once: each has one answer at a time. */
async function eachAnswer(
  answers: readonly OddAnswer[],
  check: (url: URL, answer: OddAnswer) => Promise<void>,
): Promise<void> {
  const left = [...answers];
  const work = async (server: OddServer) => {
    for (let next = left.shift(); next; next = left.shift()) {
      server.answer = next;
      await check(server.url, next);
    }
  };
  await Promise.all(servers.map(work));
}

/** Each body comes with so many statuses, one after the other. */
const STATUSES = 6;
const hasBodyOfMany = ({ name }: OddAnswer) => /^(200|202|302|400|402|500) /.test(name);

/** A payment gets every answer; every other call gets each body and each status, though not all of their pairs. */
function callsFor(answer: OddAnswer) {
  const at = ODD_ANSWERS.indexOf(answer);
  const turn = at + Math.floor(at / STATUSES);
  const isAsked = (index: number) => index === 0 || (index + turn) % 2 === 0;
  return firstOf(6, CALLS).filter((_, index) => IS_FULL_RUN || !hasBodyOfMany(answer) || isAsked(index));
}

const endsEachCall = async (url: URL, answer: OddAnswer) => {
  const { name } = answer;
  const ends = callsFor(answer).map(([, call]) =>
    call(url).catch((error: unknown) => expect(error).toBeInstanceOf(Error)),
  );
  await Promise.all(ends);
  if (thrown.length > 0) throw new Error(`thrown outside of a call, at ${name}`, { cause: thrown[0] });
};

/** No answer to a request that asked for no upgrade: a call ends by its deadline, of ten seconds or thirty. */
const isUpgrade = ({ name }: OddAnswer) => name === 'an upgrade';

test('an odd answer ends the call and nothing else', async () => {
  await eachAnswer(
    ODD_ANSWERS.filter((answer) => !isUpgrade(answer)),
    endsEachCall,
  );
  const { setTimeout } = timers;
  const sooner = (work: () => void, ms = 0) => setTimeout(work, ms / 100);
  try {
    Object.assign(timers, { setTimeout: sooner });
    syncBuiltinESMExports();
    await eachAnswer(ODD_ANSWERS.filter(isUpgrade), endsEachCall);
  } finally {
    Object.assign(timers, { setTimeout });
    syncBuiltinESMExports();
  }
});

test('more than three hundred kinds of answers are tried', () => {
  expect(ODD_ANSWERS.length).toBeGreaterThan(300);
});

test('a payment that is answered with JSON but no object has an unknown outcome', async () => {
  await eachAnswer(ODD_NO_OBJECTS, async (url) => {
    expect(await pay(url)).toMatchObject({ kind: 'unknown' });
  });
});

test('an alert is taken by its status alone', async () => {
  await eachAnswer(ODD_NO_OBJECTS.slice(0, 12), async (address, { name }) => {
    const alerts = { addresses: [{ url: address, form: 'json', hasNames: false }], mailTo: [] } as const;
    const receivers = alertReceivers({
      config: { alerts, publicUrl: address, timeZone: 'UTC' },
      mailer: undefined,
    });
    const isTaken = receivers.alert_webhook?.(alert).then(
      () => true,
      () => false,
    );
    expect(await isTaken).toBe(name.startsWith('2'));
  });
});

const smtp: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '220 hi\r\n',
        '250 ok\r\n',
        '250-more\r\n',
        '334 \r\n',
        '354 go\r\n',
        '235 in\r\n',
        '\r\n',
      ),
      fc.constantFrom('421 bye\r\n', '535 no\r\n', '999\r\n', '2', '220-', '\u0000', 'x'.repeat(70_000)),
      fc.string({ maxLength: 20 }),
    ),
    { maxLength: 12 },
  )
  .map((lines) => lines.join(''));

test('a mail server may say anything', async () => {
  const run = async (text: string) => {
    greeter.answer = { name: text, bytes: Buffer.from(text) };
    const smtpUrl = `smtp://u:p@127.0.0.1:${greeter.port}`;
    const mailer = createMailer({ smtpUrl, from: 'c@d.example' });
    expect((await mailer.send(email)).kind).toMatch(/^(failed|refused|sent)$/);
    // Only one that took greeting and EHLO is taken for well.
    const problem = await checkMailServer(smtpUrl);
    if (problem === undefined) expect(text).toMatch(/^2\d\d.*\n2\d\d/s);
    else expect(problem).toEqual(expect.any(String));
    mailer.close();
    expect(thrown).toEqual([]);
  };
  await fc.assert(fc.asyncProperty(smtp, run), { numRuns: runs(200) });
});

/** Any JSON, and what the clients look for in it. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        'error',
        'type',
        'message',
        'object',
        'status',
        'payments',
        'data',
        'success',
        'charge',
      ),
      tie('value'),
    ),
  ),
})).value;

test('any JSON, with any status', async () => {
  const run = async (body: unknown, status: number) => {
    const text = Buffer.from(JSON.stringify(body));
    const head = `HTTP/1.1 ${status} Odd\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n`;
    const answer = { name: 'any', bytes: Buffer.concat([Buffer.from(head), text]) };
    for (const [, call] of CALLS.slice(0, 4))
      await eachAnswer([answer], (url) =>
        call(url).then(
          () => {},
          (error: unknown) => expect(error).toBeInstanceOf(Error),
        ),
      );
    expect(thrown).toEqual([]);
  };
  const status = fc.constantFrom(200, 201, 400, 401, 402, 403, 404, 429);
  await fc.assert(fc.asyncProperty(json, status, run), { numRuns: runs(300) });
});
