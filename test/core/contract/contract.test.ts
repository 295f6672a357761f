import fc from 'fast-check';
import { DateTime } from 'luxon';
import { parseInstruction } from '../../../src/core/contract/contract.ts';
import { timestamp, timestampMillis } from '../../../src/core/contract/contract-fields.ts';

const FLAT = {
  requestId: 'req_1',
  invoiceId: 'in_1',
  subscriptionId: 'sub_1',
  actionSuggestion: 'ACTION_SUGGESTION_RETRY',
  idealRetryTime: '2026-03-02T10:00:00Z',
};
const { requestId: _id, ...DATA } = FLAT;
const ENVELOPE = { id: 'req_1', type: 'recovery_action', data: DATA };
const EXPECTED = {
  type: 'suggestion',
  requestId: 'req_1',
  invoiceId: 'in_1',
  subscriptionId: 'sub_1',
  suggestion: 'ACTION_SUGGESTION_RETRY',
  idealRetryTime: '2026-03-02T10:00:00Z',
};

function without(body: object, field: string): object {
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== field));
}

describe('an instruction', () => {
  it('an instruction reads the same from the flat form and from the envelope', () => {
    expect(parseInstruction(FLAT)).toEqual({ ok: true, value: EXPECTED });
    expect(parseInstruction(ENVELOPE)).toEqual({ ok: true, value: EXPECTED });
  });

  it('an instruction may lack the subscription, and carry what we do not know', () => {
    for (const subscriptionId of [undefined, null]) {
      const value = { ...EXPECTED, subscriptionId: undefined };
      expect(parseInstruction({ ...FLAT, subscriptionId, extra: 1 })).toEqual({ ok: true, value });
      const data = { ...DATA, subscriptionId, extra: [] };
      expect(parseInstruction({ ...ENVELOPE, data, version: 2 })).toEqual({ ok: true, value });
    }
  });

  it('an instruction keeps a suggestion that we do not know', () => {
    const value = { ...EXPECTED, suggestion: 'ACTION_SUGGESTION_NEW' };
    expect(parseInstruction({ ...FLAT, actionSuggestion: 'ACTION_SUGGESTION_NEW' })).toEqual({
      ok: true,
      value,
    });
  });

  it.each([
    '2026-03-02T10:00:00Z',
    '2026-03-02T10:00:00.123Z',
    '2026-03-02T12:00:00+02:00',
    '2026-03-02T12:00:00.123456789-0330',
    '2026-03-02T12:00+02',
    '20260302T100000Z',
  ])('an instruction takes the time %s', (idealRetryTime) => {
    expect(parseInstruction({ ...FLAT, idealRetryTime }).ok).toBe(true);
  });

  const bad: [string, unknown][] = [
    ['requestId', ''],
    ['requestId', 7],
    ['requestId', 'a\u0000b'],
    ['requestId', 'x'.repeat(256)],
    ['invoiceId', null],
    ['invoiceId', ''],
    ['invoiceId', 'line\nbreak'],
    ['subscriptionId', 5],
    ['subscriptionId', ''],
    ['actionSuggestion', ''],
    ['actionSuggestion', 3],
    ['actionSuggestion', 'ACTION_SUGGESTION_\u0000'],
    ['actionSuggestion', 'ACTION_SUGGESTION_\ud83d'],
    ['actionSuggestion', 'A'.repeat(256)],
    ['idealRetryTime', 'soon'],
    ['idealRetryTime', ''],
    ['idealRetryTime', 1772445600],
    ['idealRetryTime', '2026-02-30T10:00:00Z'],
    ['idealRetryTime', '2026'],
    ['idealRetryTime', '10'],
    ['idealRetryTime', '10:00'],
    ['idealRetryTime', '10:00Z'],
    ['idealRetryTime', '2026-03'],
    ['idealRetryTime', '2026-03-02'],
    ['idealRetryTime', '2026-03-02Z'],
    ['idealRetryTime', '2026-03T10:00:00Z'],
    ['idealRetryTime', '2026-03-02T10:00:00'],
    ['idealRetryTime', '2026-03-02T10:00:00+99:99'],
    ['idealRetryTime', '2026-03-02T10:00:00Z, or later'],
    ['idealRetryTime', '2026-03-02 10:00:00Z'],
  ];
  it.each(bad)('an instruction with a %s of %p is refused by name', (field, value) => {
    const flat = parseInstruction({ ...FLAT, [field]: value });
    expect(flat).toEqual({ ok: false, message: expect.stringMatching(`^${field}: `) });
    const inEnvelope =
      field === 'requestId' ? { ...ENVELOPE, id: value } : { ...ENVELOPE, data: { ...DATA, [field]: value } };
    const name = field === 'requestId' ? 'id' : `data\\.${field}`;
    expect(parseInstruction(inEnvelope)).toEqual({ ok: false, message: expect.stringMatching(`^${name}: `) });
  });

  it.each(['requestId', 'invoiceId', 'actionSuggestion', 'idealRetryTime'])(
    'a missing %s of an instruction is named',
    (field) => {
      expect(parseInstruction(without(FLAT, field))).toEqual({
        ok: false,
        message: expect.stringMatching(`^${field}: `),
      });
    },
  );

  it.each([undefined, null, 'text', 42, [], [FLAT], {}, { data: DATA }, { type: 'recovery_action' }])(
    'an instruction of %p is refused',
    (body) => {
      expect(parseInstruction(body).ok).toBe(false);
    },
  );

  it('a body with type and data is an envelope, whatever else it has', () => {
    const both = { ...FLAT, type: 'recovery_action', data: DATA };
    expect(parseInstruction(both)).toEqual({ ok: false, message: expect.stringMatching('^id: ') });
    expect(parseInstruction({ ...ENVELOPE, type: 7 })).toEqual({
      ok: false,
      message: expect.stringMatching('^type: '),
    });
    expect(parseInstruction({ ...ENVELOPE, data: null }).ok).toBe(false);
  });
});

describe('a word about the whole invoice', () => {
  const named = { requestId: 'req_1', invoiceId: 'in_1', subscriptionId: undefined };

  it.each([
    ['pause_collection', 'take_over'],
    ['pause_invoice', 'take_over'],
    ['complete_dunning', 'stop'],
  ])('%s is read as %s of its invoice', (type, read) => {
    expect(parseInstruction({ id: 'req_1', type, data: { invoiceId: 'in_1' } })).toEqual({
      ok: true,
      value: { type: read, ...named },
    });
    expect(parseInstruction({ id: 'req_1', type, data: {} })).toEqual({
      ok: false,
      message: expect.stringMatching('^data\\.invoiceId: '),
    });
  });

  it('a flat body is a takeover at the address of one, in either form', () => {
    const at = { isTakeover: true };
    const flat = { requestId: 'req_1', invoiceId: 'in_1' };
    const value = { type: 'take_over', ...named };
    expect(parseInstruction(flat, at)).toEqual({ ok: true, value });
    expect(parseInstruction({ id: 'req_1', type: 'pause_invoice', data: flat }, at)).toEqual({
      ok: true,
      value,
    });
    expect(parseInstruction({ invoiceId: 'in_1' }, at)).toEqual({
      ok: false,
      message: expect.stringMatching('^requestId: '),
    });
  });
});

describe('any body', () => {
  it('an envelope of an unknown type is accepted and marked as such', () => {
    const known = ['recovery_action', 'pause_collection', 'pause_invoice', 'complete_dunning'];
    const type = fc.string({ minLength: 1, maxLength: 255 }).filter((text) => !known.includes(text));
    fc.assert(
      fc.property(type, fc.anything(), (envelopeType, data) => {
        expect(parseInstruction({ id: 'req_1', type: envelopeType, data })).toEqual({
          ok: true,
          value: { type: 'unknown', requestId: 'req_1', envelopeType },
        });
      }),
    );
  });

  it('any body is read or refused with a message, never thrown at', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.record({ type: fc.anything(), data: fc.anything() })),
        (body) => {
          const parsed = parseInstruction(body);
          if (!parsed.ok) expect(parsed.message).not.toBe('');
        },
      ),
    );
  });
});

describe('a timestamp as we write it ourselves', () => {
  const digits = (most: number, length: number) =>
    fc.integer({ min: 0, max: most }).map((number) => String(number).padStart(length, '0'));

  test('a timestamp as we write it ourselves is one exactly when luxon can read it', () => {
    fc.assert(
      fc.property(
        fc.tuple(digits(10_000, 4), digits(13, 2), digits(32, 2)),
        fc.tuple(digits(25, 2), digits(60, 2), digits(60, 2)),
        fc.constantFrom('', '.000', '.999'),
        (date, time, fraction) => {
          const text = `${date.join('-')}T${time.join(':')}${fraction}Z`;
          const at = DateTime.fromISO(text, { zone: 'utc' });
          const isExpected = at.isValid && at.year >= 1 && at.year <= 9999;
          expect([text, timestamp.safeParse(text).success]).toEqual([text, isExpected]);
          expect([text, timestampMillis(text)]).toEqual([text, at.toMillis()]);
        },
      ),
    );
  });

  test.each(['2024-02-29T00:00:00Z', '2000-02-29T23:59:59.999Z', '9999-12-31T23:59:59Z'])(
    '%s is one',
    (text) => {
      expect(timestamp.safeParse(text).success).toBe(true);
    },
  );

  test.each(['2026-02-29T00:00:00Z', '1900-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '0000-01-01T00:00:00Z'])(
    '%s is none',
    (text) => {
      expect(timestamp.safeParse(text).success).toBe(false);
    },
  );
});
