/** Two customers of one service: neither sees, changes or gets anything of the other. */

import { silentLogger } from '../../../src/core/base/logger.ts';
import { recoveryActionsPage } from '../../../src/core/contract/contract.ts';
import type { Organization } from '../../../src/service/keys/organizations.ts';
import { createRetryService } from '../../../src/service/service.ts';
import { type CallbackReceiver, createCallbackReceiver } from '../send/callback-receiver.ts';
import { API_KEY, type Harness, startHarness } from '../service-harness.ts';
import {
  buildInvoiceMessage,
  buildSubscriptionMessage,
  buildTransactionMessage,
} from '../service-messages.ts';

const ANNS = { authorization: `Bearer ${API_KEY}` };
const BENS = { authorization: 'Bearer key_of_ben' };

let receivers: { ann: CallbackReceiver; ben: CallbackReceiver; late: CallbackReceiver };
let harness: Harness;
let late: Organization;
beforeAll(async () => {
  receivers = {
    ann: await createCallbackReceiver(),
    ben: await createCallbackReceiver(),
    late: await createCallbackReceiver(),
  };
  late = {
    name: 'late',
    apiKeys: ['key_of_late'],
    callback: { baseUrl: receivers.late.url, token: 'token_of_late' },
  };
  harness = await startHarness({
    organizations: [
      {
        name: 'ann',
        apiKeys: [API_KEY],
        callback: { baseUrl: receivers.ann.url, token: 'token_of_ann' },
      },
      {
        name: 'ben',
        apiKeys: ['key_of_ben', 'older_key_of_ben'],
        callback: { baseUrl: receivers.ben.url, token: 'token_of_ben' },
      },
    ],
    findOrganization: (name) => (name === 'late' ? late : undefined),
  });
});
beforeEach(async () => {
  for (const receiver of Object.values(receivers)) receiver.reset();
  await harness.clear();
});
afterAll(async () => {
  await harness?.stop();
  for (const receiver of Object.values(receivers ?? {})) await receiver.close();
});

type Key = Record<string, string>;

async function failPaymentOf(key: Key, customerId: string): Promise<void> {
  const posts = [
    ['/ingest/v1/subscriptions', { subscriptions: [buildSubscriptionMessage({ customerId })] }],
    ['/ingest/v1/invoices', { invoices: [buildInvoiceMessage({ customerId })] }],
    ['/ingest/v1/transactions', { transactions: [buildTransactionMessage({ customerId })] }],
  ] as const;
  for (const [path, body] of posts) expect((await harness.post(path, body, key)).status).toBe(200);
  await harness.drain();
}

function anotherProcess(organizations: readonly Organization[]) {
  const { database, clock } = harness;
  return createRetryService({
    database,
    clock,
    logger: silentLogger,
    host: '127.0.0.1',
    port: 0,
    organizations,
    defaultTimeZone: 'UTC',
  });
}

async function list(key: Key, query = '') {
  const { status, body } = await harness.get(`/v1/recovery_actions${query}`, key);
  expect(status).toBe(200);
  return recoveryActionsPage.parse(body);
}

test('the same ids are different things of each, and instructions go to whom they concern', async () => {
  await failPaymentOf(ANNS, 'cus_of_ann');
  await failPaymentOf(BENS, 'cus_of_ben');
  await harness.pass({ days: 7 });
  const [anns, bens] = [await list(ANNS), await list(BENS)];
  expect(anns.totalSize).toBeGreaterThan(0);
  expect(new Set(anns.recoveryActions.map(({ customerId }) => customerId))).toEqual(new Set(['cus_of_ann']));
  expect(new Set(bens.recoveryActions.map(({ customerId }) => customerId))).toEqual(new Set(['cus_of_ben']));
  for (const [receiver, listed, token] of [
    [receivers.ann, anns, 'token_of_ann'],
    [receivers.ben, bens, 'token_of_ben'],
  ] as const) {
    const known = listed.recoveryActions.map(({ requestId }) => requestId);
    expect(receiver.accepted.length).toBeGreaterThan(0);
    for (const { requestId } of receiver.accepted) expect(known).toContain(requestId);
    expect(new Set(receiver.authorizations)).toEqual(new Set([`Bearer ${token}`]));
  }
});

test("one's paid invoice leaves the other's case alone", async () => {
  await failPaymentOf(ANNS, 'cus_of_ann');
  await failPaymentOf(BENS, 'cus_of_ben');
  const updatedAt = harness.clock.now().plus({ minutes: 1 }).toISO() ?? '';
  const paid = buildInvoiceMessage({ customerId: 'cus_of_ann', state: 'INVOICE_STATE_PAID', updatedAt });
  await harness.post('/ingest/v1/invoices', { invoices: [paid] }, ANNS);
  await harness.drain();
  const cases = await harness.database.query<{ organization: string; state: string }>(
    'select organization, state from retry_service.cases order by organization',
  );
  expect(cases).toEqual([
    { organization: 'ann', state: 'closed' },
    { organization: 'ben', state: 'open' },
  ]);
});

test("a page token of one opens nothing of the other's", async () => {
  await failPaymentOf(ANNS, 'cus_of_ann');
  await failPaymentOf(BENS, 'cus_of_ben');
  await harness.post(
    '/ingest/v1/transactions',
    { transactions: [buildTransactionMessage({ id: 'ch_2', invoiceId: 'in_2', customerId: 'cus_of_ann' })] },
    ANNS,
  );
  await harness.post(
    '/ingest/v1/invoices',
    { invoices: [buildInvoiceMessage({ id: 'in_2', customerId: 'cus_of_ann' })] },
    ANNS,
  );
  await harness.drain();
  const { nextPageToken } = await list(ANNS, '?pageSize=1');
  expect(nextPageToken).not.toBe('');
  const stolen = await harness.get(`/v1/recovery_actions?pageToken=${nextPageToken}`, BENS);
  expect(stolen.status).toBe(400);
  expect(JSON.stringify(stolen.body)).not.toContain('cus_of_ann');
});

test('every key of an organization is its own, and others are refused', async () => {
  await failPaymentOf(BENS, 'cus_of_ben');
  const older = await list({ authorization: 'Bearer older_key_of_ben' });
  expect(older).toEqual(await list(BENS));
  for (const key of ['key_of_nobody', 'key_of_late', '']) {
    const answer = await harness.get('/v1/recovery_actions', { authorization: `Bearer ${key}` });
    expect(answer.status).toBe(401);
  }
});

test('one that another process added is served here too, its instructions included', async () => {
  const other = await anotherProcess([]);
  await other.start();
  await other.addOrganization(late);
  await other.stop();
  const key = { authorization: 'Bearer key_of_late' };
  await failPaymentOf(key, 'cus_of_late');
  await harness.pass({ days: 3 });
  expect(receivers.late.accepted.length).toBeGreaterThan(0);
  expect((await list(key)).totalSize).toBeGreaterThan(0);
  expect((await list(BENS)).totalSize).toBe(0);
});

test('an organization that is not served any more gets nothing, and its key opens nothing', async () => {
  const gone: Organization = {
    name: 'gone',
    apiKeys: ['key_of_gone'],
    callback: { baseUrl: receivers.late.url, token: 'token_of_gone' },
  };
  const other = await anotherProcess([gone]);
  await other.start();
  const response = await fetch(`${other.url}/ingest/v1/subscriptions`, {
    method: 'POST',
    headers: { authorization: 'Bearer key_of_gone', 'content-type': 'application/json' },
    body: JSON.stringify({ subscriptions: [buildSubscriptionMessage()] }),
  });
  expect(response.status).toBe(200);
  await other.stop();
  expect((await harness.get('/v1/recovery_actions', { authorization: 'Bearer key_of_gone' })).status).toBe(
    401,
  );
});
