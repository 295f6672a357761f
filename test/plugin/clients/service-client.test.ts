import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import {
  createServiceClients,
  type IngestResult,
  type ListingRequest,
  type ListingResult,
} from '../../../src/plugin/clients/service-client.ts';
import { type HttpStub, type StubAnswer, startHttpStub } from '../../support/http/http-stub.ts';

let next: StubAnswer | (() => Promise<StubAnswer>) = 'drop';
let stub: HttpStub;
beforeAll(async () => {
  stub = await startHttpStub(() => (typeof next === 'function' ? next() : next));
});
afterAll(() => stub.stop());

const clock = createSimulatedClock(DateTime.utc(2026, 3, 2, 10, 1));
const client = (baseUrl = stub.url) =>
  createServiceClients(() => ({ baseUrl, apiKey: 'key_1' }), { clock })('own');

function ingest(answer: typeof next): Promise<IngestResult> {
  next = answer;
  return client().ingest('subscriptions', [{ id: 'sub_1' }]);
}

const DATE = 'Mon, 02 Mar 2026 10:00:00 GMT';
const later = (retryAfter: string, date = DATE) => ({ 'retry-after': retryAfter, date });

describe('the request', () => {
  it('the request to the service is a POST with the key and the records under the name of their kind', async () => {
    next = { status: 200, body: { requestId: 'r' } };
    await client().ingest('invoices', [{ id: 'in_1' }, { id: 'in_2' }]);
    const request = stub.requests.at(-1);
    expect(request).toMatchObject({ method: 'POST', path: '/ingest/v1/invoices' });
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer key_1',
      'content-type': 'application/json',
    });
    expect(JSON.parse(request?.body ?? '')).toEqual({ invoices: [{ id: 'in_1' }, { id: 'in_2' }] });
  });

  it.each(['/base', '/base/', '/a/b/'])(
    'the request to the service keeps the path %s of the base address',
    async (path) => {
      next = { status: 200, body: { requestId: 'r' } };
      await client(new URL(path, stub.url)).ingest('transactions', []);
      expect(stub.requests.at(-1)?.path).toBe(`${path.replace(/\/$/, '')}/ingest/v1/transactions`);
    },
  );

  it('at most five requests to the service are under way at once', async () => {
    let now = 0;
    let most = 0;
    const release: (() => void)[] = [];
    next = async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise<void>((resolve) => {
        release.push(resolve);
        if (release.length >= 5) for (const free of release) free();
      });
      now -= 1;
      return { status: 200, body: { requestId: 'r' } };
    };
    const one = client();
    const results = await Promise.all(Array.from({ length: 20 }, () => one.ingest('subscriptions', [])));
    expect(results.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(most).toBe(5);
  });
});

describe('the listing', () => {
  const first = {
    orderBy: 'executed_at',
    orderDirection: 'asc',
    executedAfter: '2026-03-02T10:00:00.000Z',
  } as const;
  function list(answer: StubAnswer, request: ListingRequest = first): Promise<ListingResult> {
    next = answer;
    return client().listRecoveryActions(request);
  }
  const page = { recoveryActions: [{ id: 'act_1' }], nextPageToken: 'next/+=', totalSize: 2 };

  it('the request for the listing is a GET with the key, under the path of the base address', async () => {
    next = { status: 200, body: page };
    await client(new URL('/base', stub.url)).listRecoveryActions({ ...first, executedBefore: undefined });
    const request = stub.requests.at(-1);
    expect(request).toMatchObject({ method: 'GET', body: '' });
    expect(request?.headers).toMatchObject({ authorization: 'Bearer key_1' });
    const { pathname, searchParams } = new URL(request?.path ?? '', stub.url);
    expect(pathname).toBe('/base/v1/recovery_actions');
    expect(Object.fromEntries(searchParams)).toEqual({ ...first, pageSize: '100' });
  });

  it('the request for the listing sends the token of the next page alone, letter by letter', async () => {
    expect(await list({ status: 200, body: page })).toMatchObject({
      kind: 'page',
      records: [{ id: 'act_1' }],
      nextPageToken: 'next/+=',
    });
    await list({ status: 200, body: { ...page, nextPageToken: '' } }, { pageToken: 'next/+=' });
    const { searchParams } = new URL(stub.requests.at(-1)?.path ?? '', stub.url);
    expect(Object.fromEntries(searchParams)).toEqual({ pageToken: 'next/+=' });
  });

  it.each([400, 422])(
    'an answer of %d means that the listing token has expired, or without a token that parameters are refused',
    async (status) => {
      expect(await list({ status, body: 'no' }, { pageToken: 'old' })).toEqual({
        kind: 'token_expired',
        answer: 'no',
      });
      expect(await list({ status, body: 'no' })).toEqual({ kind: 'refused', answer: 'no' });
    },
  );

  it('the listing gives what went wrong as data', async () => {
    expect(await list({ status: 429, headers: later('120'), body: 'slow down' })).toEqual({
      kind: 'throttled',
      retryAfterMs: 120_000,
      answer: 'slow down',
    });
    for (const answer of [{ status: 200, body: '<html>' }, { status: 200, body: {} }, 'drop' as const])
      expect((await list(answer)).kind).toBe('failed');
    for (const status of [404, 405, 501])
      expect(await list({ status })).toMatchObject({ kind: 'refused', isMissing: true });
  });
});

describe('the answer', () => {
  it.each<[string, StubAnswer, string | undefined]>([
    ['200 with a request id', { status: 200, body: { requestId: 'req_9', more: true } }, 'req_9'],
    ['201 with an id in snake case', { status: 201, body: { request_id: 'req_9' } }, 'req_9'],
    ['202 with a number as its id', { status: 202, body: { requestId: 7 } }, '7'],
    ['an id in a header', { status: 200, headers: { 'x-request-id': 'req_h' } }, 'req_h'],
    ['an id that is an object', { status: 200, body: { requestId: {} } }, undefined],
    ['an empty object', { status: 200, body: {} }, undefined],
    ['no body', { status: 200, body: '' }, undefined],
    ['202 alone', { status: 202, body: '' }, undefined],
    ['204', { status: 204, body: '' }, undefined],
    ['no error', { status: 202, body: { error: null, success: true } }, undefined],
    ['an id that PostgreSQL cannot store', { status: 200, body: { requestId: 'a\u0000b' } }, 'ab'],
  ])('a success with %s acknowledges the batch', async (_name, answer, requestId) => {
    expect(await ingest(answer)).toEqual({ kind: 'accepted', requestId });
  });

  it.each([
    ['a page', '<html>'],
    ['success: false', { success: false, requestId: 'r' }],
    ['an error', { error: 'no' }],
    ['a text', '"ok"'],
    ['a list', []],
    ['null', 'null'],
    ['more than 8 MB', { requestId: 'r', text: 'x'.repeat(9_000_000) }],
  ])('a success with %s confirms nothing', async (_name, body) => {
    expect(await ingest({ status: 200, body })).toMatchObject({ kind: 'odd' });
  });

  it.each([400, 413, 422])('an answer of %d refuses the content, and its text is given', async (status) => {
    expect(await ingest({ status, body: { error: 'bad currency' } })).toEqual({
      kind: 'refused',
      status,
      answer: '{"error":"bad currency"}',
    });
  });

  it.each([401, 403, 404, 405, 408, 409, 410, 418, 500, 501, 502, 503, 504])(
    'an answer of %d is a failure',
    async (status) => {
      expect(await ingest({ status, body: 'no' })).toEqual({
        kind: 'failed',
        reason: `answered ${status}: no`,
        status,
        retryAfterMs: undefined,
      });
    },
  );

  it.each([301, 302, 307, 308])(
    'an answer of %d is a failure and is not followed: the key goes to no other address',
    async (status) => {
      const before = stub.requests.length;
      expect((await ingest({ status, headers: { location: '/elsewhere' } })).kind).toBe('failed');
      expect(stub.requests.length).toBe(before + 1);
    },
  );

  it('a cut connection and an address where nobody listens are failures of the request', async () => {
    expect((await ingest('drop')).kind).toBe('failed');
    const gone = await startHttpStub(() => 'drop');
    await gone.stop();
    const result = await client(gone.url).ingest('subscriptions', []);
    expect(result).toMatchObject({ kind: 'failed', reason: expect.stringContaining('ECONNREFUSED') });
  });

  it('a long answer of the service is cut', async () => {
    const result = await ingest({ status: 400, body: 'x'.repeat(9_000) });
    expect(result).toMatchObject({ kind: 'refused', answer: 'x'.repeat(2_000) });
  });
});

describe('Retry-After', () => {
  it.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', later('120'), 120_000],
    ['zero', later('0'), 0],
    ['a date', later('Mon, 02 Mar 2026 10:02:00 GMT'), 120_000],
    ['a date in the past', later('Mon, 02 Mar 2026 09:00:00 GMT'), 0],
    ['a date without the date of the answer', later('Mon, 02 Mar 2026 10:03:00 GMT', 'today'), 120_000],
    ['a fraction', later('1.5'), 1_500],
    ['a date of next year', later('Tue, 02 Mar 2027 10:00:00 GMT'), 3_600_000],
    ['a negative number', later('-5'), undefined],
    ['words', later('in a while'), undefined],
    ['far too many seconds', later('99999999999999999999'), 3_600_000],
    ['nothing', later(''), undefined],
    ['no header', {}, undefined],
  ])('the service client handles a Retry-After header with %s', async (_name, headers, retryAfterMs) => {
    expect(await ingest({ status: 429, headers, body: 'slow down' })).toEqual({
      kind: 'throttled',
      answer: 'slow down',
      retryAfterMs,
    });
    expect(await ingest({ status: 503, headers })).toMatchObject({ kind: 'failed', retryAfterMs });
  });
});
