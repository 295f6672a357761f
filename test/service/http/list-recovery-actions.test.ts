import { recoveryActionsPage } from '../../../src/core/contract/contract.ts';
import { readPageToken, writePageToken } from '../../../src/service/http/list-recovery-actions.ts';
import { type Harness, startHarness } from '../service-harness.ts';
import { failPayment } from '../service-messages.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

async function read(query: string) {
  const answer = await harness.get(`/v1/recovery_actions?${query}`);
  expect(answer.status).toBe(200);
  return recoveryActionsPage.parse(answer.body);
}

/** One action each for invoices `in_0`, `in_1` … with a minute between. */
async function createActions(count: number, from = 0): Promise<void> {
  for (let index = from; index < from + count; index += 1) {
    await harness.pass({ minutes: 1 });
    await failPayment(harness, { id: `ch_${index}`, invoiceId: `in_${index}` });
  }
}

const invoicesOf = (page: { recoveryActions: { invoiceId: string }[] }) =>
  page.recoveryActions.map((action) => action.invoiceId);

describe('the listing of five actions', () => {
  beforeAll(async () => {
    await harness.clear();
    await createActions(5);
  });

  test('the listing of actions pages through all in order, on both of its paths', async () => {
    const first = await read('orderBy=created_at&orderDirection=asc&pageSize=2');
    expect(first).toMatchObject({ totalSize: 5 });
    const second = await read(`pageToken=${first.nextPageToken}`);
    const third = await read(`pageToken=${second.nextPageToken}`);
    expect([first, second, third].flatMap(invoicesOf)).toEqual(['in_0', 'in_1', 'in_2', 'in_3', 'in_4']);
    expect(third.nextPageToken).toBe('');
    expect((await harness.get('/ingest/v1/recovery_actions')).body).toMatchObject({ totalSize: 5 });
  });

  test('the listing of actions filters by ids, currency and country (stripe-facts 12.2)', async () => {
    expect(invoicesOf(await read('invoiceId=in_1'))).toEqual(['in_1']);
    expect(await read('subscriptionId=sub_1&customerId=cus_1&currency=USD&cardCountry=DE')).toMatchObject({
      totalSize: 5,
    });
    expect(await read('subscriptionId=sub_2')).toMatchObject({ totalSize: 0, nextPageToken: '' });
  });

  test('the listing of actions understands the spellings of the order fields', async () => {
    const page = await read(
      'orderBy=RECOVERY_ACTION_ORDER_BY_CREATED_AT&orderDirection=RECOVERY_ACTION_ORDER_DIRECTION_DESC',
    );
    expect(invoicesOf(page)).toEqual(['in_4', 'in_3', 'in_2', 'in_1', 'in_0']);
  });

  test('a page token keeps the ordering and filters of its listing', async () => {
    const first = await read('orderDirection=desc&pageSize=1&customerId=cus_1');
    const second = await read(`pageToken=${first.nextPageToken}`);
    expect(invoicesOf(second)).toEqual(['in_3']);
  });

  test('a page token takes the same ordering and filters beside it, and no others', async () => {
    const asked = 'orderDirection=desc&pageSize=1&customerId=cus_1';
    const first = await read(asked);
    expect(invoicesOf(await read(`${asked}&pageToken=${first.nextPageToken}`))).toEqual(['in_3']);
    for (const other of ['orderDirection=asc', 'orderBy=executed_at', 'customerId=cus_2', 'currency=USD']) {
      const answer = await harness.get(`/v1/recovery_actions?${other}&pageToken=${first.nextPageToken}`);
      expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('pageToken') } });
    }
  });

  test('the listing of actions reads over a parameter that it does not know', async () => {
    expect((await harness.get('/v1/recovery_actions?limit=10')).status).toBe(200);
  });

  test.each([
    ['orderBy=amount', 'orderBy: '],
    ['orderBy=constructor', 'orderBy: '],
    ['orderDirection=up', 'orderDirection: '],
    ['pageSize=0', 'pageSize: '],
    ['pageSize=101', 'pageSize: '],
    ['pageSize=ten', 'pageSize: '],
    ['pageSize=5&pageSize=6', 'pageSize: is given more than once'],
    ['executedAfter=yesterday', 'executedAfter: '],
    ['executedAfter=2026-03-02T14:30:00+01:00', 'write the + of an offset as %2B'],
    ['executedBefore=2026-13-01', 'executedBefore: '],
    ['invoiceId=a%00b', 'invoiceId: '],
    ['pageToken=x', 'pageToken: '],
    ['pageToken=x.y', 'pageToken: '],
  ])('the listing of actions refuses %s with 400 and the name of the parameter', async (query, message) => {
    const answer = await harness.get(`/v1/recovery_actions?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ success: false, message: expect.stringContaining(message) });
  });

  test('the listing of actions refuses a forged page token with 400', async () => {
    const { nextPageToken } = await read('pageSize=1&invoiceId=in_0').then(() => read('pageSize=1'));
    const [content = '', signature = ''] = nextPageToken.split('.');
    const state = JSON.parse(Buffer.from(content, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...state, pageSize: 2 })).toString('base64url');
    for (const token of [
      `${forged}.${signature}`,
      `${content}.${signature.slice(2)}`,
      content,
      `${nextPageToken}.more`,
    ]) {
      expect((await harness.get(`/v1/recovery_actions?pageToken=${token}`)).status).toBe(400);
    }
  });
});

describe('the listing of an executed action beside others', () => {
  beforeAll(async () => {
    await harness.clear();
    await createActions(3);
    await harness.pass({ days: 2 });
    await failPayment(harness, { id: 'ch_9', invoiceId: 'in_1' });
  });

  test('the listing of actions by execution has the unexecuted last, in both directions, also across pages', async () => {
    for (const direction of ['asc', 'desc']) {
      const first = await read(`orderBy=executed_at&orderDirection=${direction}&pageSize=1`);
      expect(invoicesOf(first)).toEqual(['in_1']);
      const rest = await read(`pageToken=${first.nextPageToken}&pageSize=100`);
      expect(rest.recoveryActions).toHaveLength(3);
      expect(rest.recoveryActions.every((action) => action.executedAt === undefined)).toBe(true);
    }
  });

  test('the listing of actions filters by execution: after includes the instant, before does not', async () => {
    const instant = harness.clock.now().toISO();
    expect(await read(`executedAfter=${instant}`)).toMatchObject({ totalSize: 1 });
    expect(await read(`executedBefore=${instant}`)).toMatchObject({ totalSize: 0 });
    expect((await read(`executedAfter=${instant}`)).recoveryActions[0]).toHaveProperty('executedAt');
  });

  test('a listed action has the fields of the record, and what the instruction said', async () => {
    const [action] = (await read('orderBy=executed_at')).recoveryActions;
    const instruction = harness.receiver.accepted.find(({ invoiceId }) => invoiceId === 'in_1');
    expect(action).toEqual({
      id: expect.any(String),
      subscriptionId: 'sub_1',
      invoiceId: 'in_1',
      customerId: 'cus_1',
      transactionId: 'ch_9',
      paymentMethodType: 'card',
      cardCountry: 'DE',
      currency: 'USD',
      type: 'RECOVERY_ACTION_TYPE_RETRY',
      status: 'RECOVERY_ACTION_STATUS_FAILED',
      createdAt: expect.any(String),
      created_at: action?.createdAt,
      executedAt: expect.any(String),
      executed_at: action?.executedAt,
      updatedAt: expect.any(String),
      requestId: instruction?.requestId,
      actionSuggestion: instruction?.actionSuggestion,
      idealRetryTime: instruction?.idealRetryTime,
      reason: expect.any(String),
      reasons: expect.arrayContaining(['0 of 8 retries made or requested.']),
    });
  });
});

describe('the listing', () => {
  beforeEach(() => harness.clear());

  test('the listing of actions stays stable while rows are added: none twice, none skipped, the new ones at the end', async () => {
    await createActions(3);
    const first = await read('pageSize=2');
    await createActions(2, 3);
    const second = await read(`pageToken=${first.nextPageToken}`);
    const third = await read(`pageToken=${second.nextPageToken}`);
    expect([first, second, third].flatMap(invoicesOf)).toEqual(['in_0', 'in_1', 'in_2', 'in_3', 'in_4']);
    // Counted once, for the first page.
    expect(third.totalSize).toBe(3);
  });

  test('the descending listing of actions shows none twice while rows are added', async () => {
    await createActions(3);
    const first = await read('orderDirection=desc&pageSize=2');
    await createActions(1, 3);
    const second = await read(`pageToken=${first.nextPageToken}`);
    expect([first, second].flatMap(invoicesOf)).toEqual(['in_2', 'in_1', 'in_0']);
  });

  test('the listing keeps apart actions of the same instant', async () => {
    for (const index of [0, 1, 2])
      await failPayment(harness, { id: `ch_${index}`, invoiceId: `in_${index}` });
    const first = await read('pageSize=1');
    const second = await read(`pageToken=${first.nextPageToken}`);
    const third = await read(`pageToken=${second.nextPageToken}`);
    expect([first, second, third].flatMap(invoicesOf)).toEqual(['in_0', 'in_1', 'in_2']);
  });
});

describe('a page token of another time', () => {
  beforeEach(() => harness.clear());

  test('the listing of actions refuses with 400 a page token that another version of the service signed', () => {
    const key = 'hash';
    const now = harness.clock.now();
    const state = { orderBy: 'created_at', direction: 'asc', pageSize: 1 } as const;
    const after = { key: '2026-03-02', position: 1 };
    const token = writePageToken(key, { ...state, filters: {}, after, total: 2 }, now);
    expect(readPageToken(key, token, now)).toMatchObject(state);
    const older = writePageToken(key, JSON.parse('{"offset":100}'), now);
    expect(() => readPageToken(key, older, now)).toThrow('pageToken: is not valid');
  });

  test('the listing of actions refuses an expired page token with 400, a day later', async () => {
    await createActions(2);
    const { nextPageToken } = await read('pageSize=1');
    await harness.pass({ hours: 23, minutes: 59 });
    await read(`pageToken=${nextPageToken}`);
    await harness.pass({ minutes: 2 });
    const answer = await harness.get(`/v1/recovery_actions?pageToken=${nextPageToken}`);
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('expired') } });
  });
});
