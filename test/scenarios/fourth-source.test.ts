/** A source of a service that signs its bodies, and names what it asks in words of its own: this file is all there is to it. */
import { createHmac } from 'node:crypto';
import express from 'express';
import { DateTime } from 'luxon';
import request from 'supertest';
import { z } from 'zod';
import { silentLogger } from '../../src/core/base/logger.ts';
import { createGuessTable } from '../../src/core/database/guess-table.ts';
import { createGuessLimit } from '../../src/core/web/guess-limit.ts';
import { answerErrors } from '../../src/core/web/http-errors.ts';
import { isSameSecret } from '../../src/core/web/same-secret.ts';
import { lineOf, listTimeline } from '../../src/plugin/operator/text/list-timeline.ts';
import {
  createInstructionRouter,
  type PushedSource,
} from '../../src/plugin/retry/instructions/receive-instruction.ts';
import { findInvoiceHistory } from '../../src/plugin/store/reports/invoice-history.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { failingInvoice, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

const scheduled = z.object({ id: z.string(), invoice: z.string(), retry_at: z.iso.datetime() });
const sign = (body: string) => createHmac('sha512', 'shared secret').update(body).digest('hex');

const ACME: PushedSource = {
  name: 'acme',
  paths: ['/acme'],
  authenticate: async ({ header, readBody }) => {
    const credential = header('x-signature') ?? '';
    return { credential, isRight: isSameSecret(credential, sign(await readBody())) };
  },
  read: ({ body }) => {
    const { id, invoice, retry_at: at } = scheduled.parse(JSON.parse(body));
    const idealRetryAt = DateTime.fromISO(at, { zone: 'utc' });
    const asked = { type: 'suggestion', suggestion: 'ACTION_SUGGESTION_RETRY', idealRetryAt, body };
    return { ...asked, requestId: id, invoiceId: invoice, subscriptionId: undefined };
  },
  answer: async (_tx, { isNew }) => ({ result: isNew ? 'recorded' : 'known' }),
};

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world.stop());

test('what it asks is recorded once, paid at its time, and told under its name', async () => {
  const { database } = world.plugin.parts;
  const { clock } = world;
  const guesses = createGuessTable(database, 'payment_retry');
  const limitGuesses = createGuessLimit({ clock, logger: silentLogger, guesses });
  // The plugin's own sweep gives the instruction its job.
  const deps = { database, clock, limitGuesses, enqueue: async () => {} };
  const app = express().use(createInstructionRouter(deps, ACME), answerErrors(silentLogger));
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  const at = world.clock.now().plus({ hours: 30 }).toISO();
  const body = JSON.stringify({ id: 'evt_1', invoice: invoiceId, retry_at: at });
  const post = (signature: string) => request(app).post('/acme').set('x-signature', signature).send(body);

  expect((await post(sign(`${body} `))).status).toBe(401);
  expect((await post(sign(body))).body).toEqual({ result: 'recorded' });
  expect((await post(sign(body))).body).toEqual({ result: 'known' });
  await world.advance({ hours: 29 });
  expect(statusOf(world, invoiceId)).toBe('open');
  await world.advance({ hours: 2 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  const history = await findInvoiceHistory(database, invoiceId);
  const told = history && listTimeline([{ id: invoiceId, history }]).map(lineOf);
  expect(told?.join('\n')).toMatch(/^Retry 1 paid\. Planned .* by acme/m);
});
