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
import { listInbox } from '../../../../src/plugin/store/tables/sync/events.ts';
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
  const link = { isCut: false };
  const woken: string[][] = [];
  const answer = async <T>(done: Promise<T>): Promise<T> => {
    const result = await done;
    if (link.isCut) throw new DatabaseAwayError(new Error('Connection terminated unexpectedly'));
    return result;
  };
  const database: Database = {
    ...test.database,
    query: (text, params) => answer(test.database.query(text, params)),
    transaction: (work, options) => answer(test.database.transaction(work, options)),
  };
  const receiver = createWebhookReceiver({
    database,
    stripe: createStripeSignatures(new Stripe(SECRETS.stripeKey)),
    clock: createSimulatedClock(DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' })),
    logger: silentLogger,
    wake: async (accounts) => {
      if (link.isCut) throw new DatabaseAwayError(new Error('connect ECONNREFUSED'));
      woken.push([...accounts.keys()]);
    },
    webhookSecrets: [SECRETS.newSecret],
    isOfUse: () => true,
    measures: createMeasures(),
  });
  const app = express().use(receiver.router);
  app.use(((_error, _req, res, _next) => res.status(503).end()) satisfies express.ErrorRequestHandler);
  const post = async (body: string) =>
    (await request(app).post('/webhooks/stripe').set('stripe-signature', sign(body)).send(body)).status;
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
