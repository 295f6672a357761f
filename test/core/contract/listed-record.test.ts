import fc from 'fast-check';
import { parseListingPage, readListedRecord } from '../../../src/core/contract/listed-record.ts';

const FIRST = {
  id: 'act_1',
  subscriptionId: 'sub_1',
  invoiceId: 'in_1',
  customerId: 'cus_1',
  transactionId: 'ch_1',
  paymentMethodType: 'card',
  cardCountry: 'DE',
  currency: 'USD',
  type: 'RECOVERY_ACTION_TYPE_RETRY',
  status: 'RECOVERY_ACTION_STATUS_SUCCEEDED',
  integrationType: 'INTEGRATION_TYPE_API',
  createdAt: '2026-03-01T10:00:00Z',
  executedAt: '2026-03-02T10:00:00Z',
  updatedAt: '2026-03-02T10:00:01Z',
};
const OTHER = {
  requestId: 'req_1',
  invoiceId: 'in_1',
  subscriptionId: 'sub_1',
  transactionId: 'ch_1',
  actionSuggestion: 'ACTION_SUGGESTION_RETRY',
  idealRetryTime: '2026-03-03T10:00:00Z',
  createdAt: '2026-03-01T10:00:00Z',
};

function respelled(record: Record<string, unknown>): object {
  const inSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [inSnake(name), value]));
}

describe('a listed record', () => {
  it('a listed record of the first family has no suggestion and no time', () => {
    expect(readListedRecord(FIRST)).toEqual({
      id: 'act_1',
      requestId: undefined,
      invoiceId: 'in_1',
      subscriptionId: 'sub_1',
      type: 'RECOVERY_ACTION_TYPE_RETRY',
      status: 'RECOVERY_ACTION_STATUS_SUCCEEDED',
      suggestion: undefined,
      idealRetryTime: undefined,
      createdAt: '2026-03-01T10:00:00.000Z',
      executedAt: '2026-03-02T10:00:00.000Z',
      updatedAt: '2026-03-02T10:00:01.000Z',
      body: JSON.stringify(FIRST),
      problem: undefined,
    });
  });

  it('a listed record of the other family goes by its request id', () => {
    expect(readListedRecord(OTHER)).toMatchObject({
      id: 'req_1',
      requestId: 'req_1',
      suggestion: 'ACTION_SUGGESTION_RETRY',
      idealRetryTime: '2026-03-03T10:00:00.000Z',
      problem: undefined,
    });
  });

  it.each([FIRST, OTHER])('a listed record reads the same in either spelling', (record) => {
    const { body: _body, ...expected } = readListedRecord(record);
    expect(readListedRecord(respelled(record))).toMatchObject(expected);
  });

  it.each([null, '', '0001-01-01T00:00:00Z', undefined])(
    'an executedAt of %p in a listed record counts as none',
    (executedAt) => {
      expect(readListedRecord({ ...FIRST, executedAt })).toMatchObject({
        executedAt: undefined,
        problem: undefined,
      });
    },
  );

  it('a listed record keeps enum values that are not known, and times in any offset', () => {
    const record = { ...OTHER, status: 'NEW', type: 'NEWER', actionSuggestion: 'NEWEST' };
    const idealRetryTime = '2026-03-03T12:00:00+02:00';
    expect(readListedRecord({ ...record, idealRetryTime })).toMatchObject({
      status: 'NEW',
      type: 'NEWER',
      suggestion: 'NEWEST',
      idealRetryTime: '2026-03-03T10:00:00.000Z',
    });
  });

  it.each(['2026', '10:00', '2026-03-02', '2026-03-02T10:00:00'])(
    'an ideal time of %s in a listed record is no instant, and the record is not understood',
    (idealRetryTime) => {
      expect(readListedRecord({ ...OTHER, idealRetryTime })).toMatchObject({
        invoiceId: 'in_1',
        idealRetryTime: undefined,
        problem: expect.stringMatching(/^idealRetryTime: /),
      });
    },
  );

  it.each(['2026', '10:00'])('a createdAt of %s in a listed record is no time', (createdAt) => {
    expect(readListedRecord({ ...OTHER, createdAt }).problem).toMatch(/^createdAt: /);
  });

  it('a listed record keeps what could be read beside what could not', () => {
    expect(readListedRecord({ ...OTHER, createdAt: 'once' })).toMatchObject({
      id: 'req_1',
      invoiceId: 'in_1',
      createdAt: undefined,
      problem: expect.stringMatching(/^createdAt: /),
    });
  });

  it('a listed record without an id goes by its content', () => {
    const one = readListedRecord({ note: 1 });
    expect(one.problem).toContain('id: is missing');
    expect(readListedRecord({ note: 1 }).id).toBe(one.id);
    expect(readListedRecord({ note: 2 }).id).not.toBe(one.id);
  });

  it('a listed record of any shape is read, and its body is what came', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const record = readListedRecord(value);
        expect(JSON.parse(record.body)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(record.id).not.toBe('');
      }),
    );
  });
});

describe('a page', () => {
  it.each(['', null, undefined])(
    'a page of the listing with the token %p is the last one',
    (nextPageToken) => {
      expect(parseListingPage({ recoveryActions: [FIRST], nextPageToken, totalSize: 1 })).toMatchObject({
        ok: true,
        value: { records: [{ id: 'act_1' }], nextPageToken: undefined },
      });
    },
  );

  it('a page of the listing may be spelled otherwise, and have a count in quotes or none', () => {
    for (const total of [{ total_size: '1' }, {}])
      expect(
        parseListingPage({ recovery_actions: [OTHER], next_page_token: 'next', ...total }),
      ).toMatchObject({
        ok: true,
        value: { records: [{ id: 'req_1' }], nextPageToken: 'next' },
      });
  });

  it.each([
    [{ totalSize: 0 }, true],
    [{ totalSize: '0', recoveryActions: null }, true],
    [{}, false],
    [{ recoveryActions: {} }, false],
    [{ recoveryActions: [], nextPageToken: 7 }, false],
    [[], false],
    [null, false],
    ['', false],
  ])('a body of %j is a page of the listing: %p', (body, ok) => {
    expect(parseListingPage(body).ok).toBe(ok);
  });
});
