import fc from 'fast-check';
import { DateTime } from 'luxon';
import { nextSlot, scheduleFor } from '../../src/service/retry-schedule.ts';
import {
  type Decision,
  decideNext,
  type FailedAttempt,
  type GivenInstruction,
  MAX_MAILS,
} from '../../src/service/timing-policy.ts';
import { at } from './service-messages.ts';

const FIRST = at('2026-03-02T10:00:00Z');
const DAY_MS = 86_400_000;

function failed(day: number, code: string, methodType = 'card'): FailedAttempt {
  return { at: FIRST.plus({ days: day }), code, methodType };
}

function given(day: number, suggestion: GivenInstruction['suggestion'], reason = 'r'): GivenInstruction {
  return { at: FIRST.plus({ days: day }), suggestion, reason };
}

function decide(
  attempts: FailedAttempt[],
  options: { day?: number; zone?: string; given?: GivenInstruction[] },
) {
  const now = FIRST.plus({ days: options.day ?? 0 });
  return decideNext({ zone: options.zone ?? 'UTC', attempts, instructions: options.given ?? [] }, now);
}

function summarize(decision: Decision): string {
  if ('stop' in decision) return `stop ${decision.reason}`;
  if ('waitUntil' in decision) return `wait ${decision.waitUntil.toUTC().toISO()} ${decision.reason}`;
  return `${decision.suggestion.slice(18)} ${decision.at.toUTC().toISO({ suppressMilliseconds: true })}`;
}

const soft = (days: number[]) => days.map((day) => failed(day, 'insufficient_funds'));
const CARD = 'ACTION_SUGGESTION_CARD_CHANGE';
const RETRY = 'ACTION_SUGGESTION_RETRY';

test.each([
  ['insufficient funds: the first morning a day on', soft([0]), {}, 'RETRY 2026-03-04T09:00:00Z'],
  ['its morning is the customer’s', soft([0]), { zone: 'America/New_York' }, 'RETRY 2026-03-03T14:00:00Z'],
  ['the next offset later than now', soft([0]), { day: 6 }, 'RETRY 2026-03-11T09:00:00Z'],
  ['a day of rest after the last attempt', soft([0, 3.5]), { day: 3.5 }, 'RETRY 2026-03-08T09:00:00Z'],
  [
    'summer time keeps nine o’clock',
    soft([0]),
    { day: 28.5 - 2, zone: 'Europe/Berlin' },
    'RETRY 2026-03-30T07:00:00Z',
  ],
  ['an unknown code: generic', [failed(0, 'brand_new_code')], {}, 'RETRY 2026-03-06T09:00:00Z'],
  ['no code: generic', [{ ...failed(0, ''), code: undefined }], {}, 'RETRY 2026-03-06T09:00:00Z'],
  [
    'four generic declines are enough',
    [0, 3, 9, 16].map((day) => failed(day, 'do_not_honor')),
    { day: 16 },
    'CARD_CHANGE 2026-03-18T10:00:00Z',
  ],
  [
    'eight attempts are enough',
    soft([0, 1, 3, 5, 8, 12, 17, 22]),
    { day: 22 },
    'CARD_CHANGE 2026-03-24T10:00:00Z',
  ],
  [
    'after the last request the case waits a day',
    soft([0]),
    { day: 29.5, given: [given(29, CARD, 'attempts_used_up')] },
    'wait 2026-04-01T10:00:00.000Z attempts_used_up',
  ],
  [
    'and is given up',
    soft([0]),
    { day: 31, given: [given(29, CARD, 'attempts_used_up')] },
    'stop attempts_used_up',
  ],
  ['a hard decline: another card now', [failed(0, 'lost_card')], {}, 'CARD_CHANGE 2026-03-02T10:00:00Z'],
  ['an expired card too', [failed(0, 'expired_card')], {}, 'CARD_CHANGE 2026-03-02T10:00:00Z'],
  [
    'one mail for one hard decline',
    [failed(0, 'lost_card')],
    { day: 2, given: [given(0, CARD)] },
    'wait 2026-03-30T10:00:00.000Z waiting_for_the_customer',
  ],
  [
    'a new hard decline waits for days between mails',
    [failed(0, 'lost_card'), failed(1, 'lost_card')],
    { day: 1, given: [given(0, CARD)] },
    'CARD_CHANGE 2026-03-05T10:00:00Z',
  ],
  [
    'three mails for a case',
    [0, 4, 8, 12].map((day) => failed(day, 'lost_card')),
    { day: 12, given: [0, 4, 8].map((day) => given(day, CARD)) },
    'stop the_customer_was_asked_often_enough',
  ],
  [
    'the customer did not act',
    [failed(0, 'lost_card')],
    { day: 28, given: [given(0, CARD)] },
    'stop the_customer_did_not_act',
  ],
  [
    'a new card that is short of funds is retried',
    [failed(0, 'lost_card'), failed(2, 'insufficient_funds')],
    { day: 2, given: [given(0, CARD)] },
    'RETRY 2026-03-06T09:00:00Z',
  ],
  [
    '3-D Secure: confirmation',
    [failed(0, 'authentication_required')],
    {},
    'CARD_CONFIRMATION 2026-03-02T10:00:00Z',
  ],
  [
    'blocked by Radar: the merchant decides',
    [failed(0, 'highest_risk_level')],
    {},
    'stop blocked_by_the_merchant_or_final',
  ],
  [
    'a bank debit short of funds',
    [failed(0, 'insufficient_funds', 'us_bank_account')],
    {},
    'RETRY 2026-03-09T09:00:00Z',
  ],
  [
    'two re-presentments at most',
    [0, 6, 14].map((day) => failed(day, 'insufficient_funds', 'sepa_debit')),
    { day: 14 },
    'CARD_CHANGE 2026-03-16T10:00:00Z',
  ],
  [
    'those of unknown outcome included',
    [failed(0, 'insufficient_funds', 'sepa_debit')],
    { day: 20, given: [given(6, RETRY), given(14, RETRY)] },
    'CARD_CHANGE 2026-03-22T10:00:00Z',
  ],
  [
    'a bank debit refused otherwise',
    [failed(0, 'debit_not_authorized', 'sepa_debit')],
    {},
    'CARD_CHANGE 2026-03-02T10:00:00Z',
  ],
  [
    'generic_could_not_process: Bacs retries',
    [failed(0, 'generic_could_not_process', 'bacs_debit')],
    {},
    'RETRY 2026-03-09T09:00:00Z',
  ],
  [
    'generic_could_not_process: SEPA does not',
    [failed(0, 'generic_could_not_process', 'sepa_debit')],
    {},
    'CARD_CHANGE 2026-03-02T10:00:00Z',
  ],
  [
    'nobody writes to the dead',
    [failed(0, 'recipient_deceased', 'sepa_debit')],
    {},
    'stop blocked_by_the_merchant_or_final',
  ],
  ['history is no work', soft([0]), { day: 36 }, 'stop older_than_the_retry_window_when_first_seen'],
])('%s', (_name, attempts, options, expected) => {
  expect(summarize(decide(attempts, options))).toBe(expected);
});

const anyCode = fc.constantFrom(
  'insufficient_funds',
  'do_not_honor',
  'lost_card',
  'expired_card',
  'x',
  'authentication_required',
);
const anyMethod = fc.constantFrom('card', 'us_bank_account', 'sepa_debit', 'bacs_debit', 'link');
const anyZone = fc.constantFrom(
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Pacific/Apia',
  'America/Sao_Paulo',
);

const anyMoments = fc.record({
  startMs: fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2027, 0, 1) }),
  gaps: fc.array(fc.integer({ min: 1000, max: 9 * DAY_MS }), { minLength: 0, maxLength: 10 }),
  lateMs: fc.integer({ min: 0, max: 40 * DAY_MS }),
  code: anyCode,
  method: anyMethod,
  zone: anyZone,
});

test('never an instruction in the past, never a retry over its cap, always at nine local', () => {
  fc.assert(
    fc.property(anyMoments, ({ startMs, gaps, lateMs, code, method, zone }) => {
      let ms = startMs;
      const attempts = [0, ...gaps].map((gap) => {
        ms += gap;
        return { at: DateTime.fromMillis(ms, { zone: 'utc' }), code, methodType: method };
      });
      const now = DateTime.fromMillis(ms + lateMs, { zone: 'utc' });
      const decision = decideNext({ zone, attempts, instructions: [] }, now);
      if (!('suggestion' in decision)) return;
      expect(decision.at >= now).toBe(true);
      if (decision.suggestion !== 'ACTION_SUGGESTION_RETRY') return;
      expect(attempts.length).toBeLessThan(8);
      const local = decision.at.setZone(zone);
      expect([local.hour, local.minute, local.second, local.millisecond]).toEqual([9, 0, 0, 0]);
      expect(decision.at.toMillis() - ms).toBeGreaterThanOrEqual(24 * 3_600_000);
    }),
  );
});

test('a case that is only ever declined ends within its caps', () => {
  fc.assert(
    fc.property(anyCode, anyMethod, anyZone, fc.boolean(), (code, methodType, zone, isExecuted) => {
      const attempts: FailedAttempt[] = [{ at: FIRST, code, methodType }];
      const instructions: GivenInstruction[] = [];
      let now: DateTime = FIRST;
      for (let step = 0; step < 100; step += 1) {
        const decision = decideNext({ zone, attempts, instructions }, now);
        if ('stop' in decision) {
          const retries = instructions.filter((one) => one.suggestion === RETRY);
          expect(attempts.length).toBeLessThanOrEqual(methodType.endsWith('debit') ? 3 : 8);
          expect(retries.length).toBeLessThanOrEqual(8);
          expect(instructions.length - retries.length).toBeLessThanOrEqual(MAX_MAILS);
          return;
        }
        if ('waitUntil' in decision) now = decision.waitUntil;
        else {
          instructions.push(decision);
          now = decision.at.plus({ hours: isExecuted ? 1 : 24 });
          if (isExecuted && decision.suggestion === RETRY) attempts.push({ at: now, code, methodType });
        }
      }
      throw new Error('the case never ended');
    }),
  );
});

test('a schedule has no slot after its last offset', () => {
  const now = FIRST.plus({ days: 28 });
  expect(nextSlot(scheduleFor('soft'), { first: FIRST, last: FIRST, now, zone: 'UTC' })).toBeUndefined();
});
