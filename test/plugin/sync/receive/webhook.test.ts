import express from 'express';
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import request from 'supertest';
import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import { DatabaseAwayError } from '../../../../src/core/base/errors.ts';
import { silentLogger } from '../../../../src/core/base/logger.ts';
import type { Database } from '../../../../src/core/database/database.ts';
import { createMeasures } from '../../../../src/core/telemetry/measures.ts';
import { createStripeSignatures } from '../../../../src/plugin/clients/stripe-signatures.ts';
import { describeStatus } from '../../../../src/plugin/operator/text/status/describe-status.ts';
import { readWorkStatus } from '../../../../src/plugin/store/reports/work-status.ts';
import { listInbox } from '../../../../src/plugin/store/tables/sync/events.ts';
import { listRefused } from '../../../../src/plugin/store/tables/sync/webhook-refusals.ts';
import { createWebhookReceiver } from '../../../../src/plugin/sync/receive/webhook.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { eventBody, SECRETS, sign } from '../../../support/http/test-server.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase(MAIN);
});
afterAll(() => test.close());

/** Each statement is carried out, and while `isCut` its answer is lost. */
function openReceiver() {
  const link = { isCut: false, statements: 0 };
  const woken: string[][] = [];
  const answer = async <T>(done: Promise<T>): Promise<T> => {
    const result = await done;
    if (link.isCut) throw new DatabaseAwayError(new Error('Connection terminated unexpectedly'));
    return result;
  };
  const database: Database = {
    ...test.database,
    query: (text, params) => {
      link.statements += 1;
      return answer(test.database.query(text, params));
    },
    transaction: (work, options) => answer(test.database.transaction(work, options)),
  };
  const receiver = createWebhookReceiver({
    database,
    stripe: createStripeSignatures(new Stripe(SECRETS.stripeKey)),
    clock: createSimulatedClock(DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' })),
    logger: silentLogger,
    inbox: {
      give: () => {},
      wake: async (accounts) => {
        if (link.isCut) throw new DatabaseAwayError(new Error('connect ECONNREFUSED'));
        woken.push([...accounts.keys()]);
      },
    },
    webhookSecrets: [SECRETS.newSecret],
    config: { livemode: false },
    isOfUse: () => true,
    isOwn: async (account) => account === 'acct_ours',
    measures: createMeasures(),
  });
  const app = express().post('/webhooks/stripe', receiver.receive);
  app.use(((_error, _req, res, _next) => res.status(503).end()) satisfies express.ErrorRequestHandler);
  const post = async (body: string, signature = sign(body)) =>
    (await request(app).post('/webhooks/stripe').set('stripe-signature', signature).send(body)).status;
  return { receiver, link, woken, post };
}

it('an event whose record was committed without an answer is taken as soon as the database is back', async () => {
  const { receiver, link, woken, post } = openReceiver();
  link.isCut = true;
  for (const id of ['evt_1', 'evt_2']) expect(await post(eventBody(id))).toBe(503);
  link.isCut = false;
  // Stripe sends it again, and it is there already.
  expect(await post(eventBody('evt_1'))).toBe(200);
  await receiver.settled();
  expect((await listInbox(test.database, 'own', 10)).map(({ id }) => id)).toEqual(['evt_1', 'evt_2']);
  expect(woken).toEqual([['own']]);
});

it('an event that the database refuses takes none of those along that share its insert', async () => {
  const { receiver, post } = openReceiver();
  await test.database.exec(
    `alter table payment_retry.events add constraint refusal check (payload not like '%refused%')`,
  );
  try {
    const ids = ['evt_first', 'evt_second', 'evt_refused', 'evt_third', 'evt_fourth'];
    const answers = await Promise.all(ids.map(async (id) => [id, await post(eventBody(id))]));
    expect(answers.filter(([, status]) => status !== 200)).toEqual([['evt_refused', 503]]);
    await receiver.settled();
    const kept = (await listInbox(test.database, 'own', 10)).map(({ id }) => id);
    expect(kept).toEqual(expect.arrayContaining(ids.filter((id) => id !== 'evt_refused')));
  } finally {
    await test.database.exec('alter table payment_retry.events drop constraint refusal');
  }
});

it.each([
  ['account', 'acct_ours', 'own'],
  ['context', 'acct_ours', 'own'],
  ['context', 'org_1/acct_ours', 'own'],
  ['account', 'acct_other', 'acct_other'],
  ['context', 'acct_ours/acct_other', 'acct_other'],
])('an event whose %s is %s is one of %s', async (field, named, account) => {
  const { receiver, post, woken } = openReceiver();
  const id = `evt_${field}_${named.replaceAll('/', '_')}`;
  expect(await post(eventBody(id, { [field]: named }))).toBe(200);
  const thin = { object: 'v2.core.event', created: '2026-03-02T10:00:00Z', data: undefined, context: named };
  expect(await post(eventBody(`${id}_thin`, thin))).toBe(200);
  await receiver.settled();
  expect(woken.flat()).toContain(account);
  const rows = await test.database.query(
    'select account from payment_retry.events where starts_with(id, $1)',
    [id],
  );
  expect(rows).toEqual([{ account }, { account }]);
});

it('refused webhooks are counted by cause, in few statements', async () => {
  const { receiver, link, post } = openReceiver();
  const at = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
  const body = eventBody('evt_refused_by_cause');
  const wrong = [
    sign(body, { secret: 'whsec_other' }),
    sign(body, { age: 601 }),
    sign(body, { age: -601 }),
    'v1',
  ];
  for (const signature of [...wrong, ...wrong]) expect(await post(body, signature)).toBe(503);
  expect(await post('[]')).toBe(503);
  await receiver.settled();
  const counted = (await listRefused(test.database, at.minus({ days: 7 }))).map(({ cause, count }) => [
    cause,
    count,
  ]);
  expect(counted).toEqual([
    ['body', 1],
    ['secret', 2],
    ['time', 4],
    ['unsigned', 2],
  ]);
  expect(link.statements).toBeLessThan(4);
  expect(await listRefused(test.database, at)).toEqual([]);
  const status = describeStatus(await readWorkStatus(test.database, at), at);
  expect(status).toContain(
    "4 signed rightly, but more than five minutes from this machine's clock: set the clock",
  );
  await receiver.stop();
});
