/** What a card was told, and what of it still holds. */
import '../../support/runner/luxon-equality.ts';
import { readCardRecord } from '../../../src/service/policy/card-record.ts';
import {
  classifyDecline,
  isBankDebit,
  isHealedByTime,
} from '../../../src/service/policy/classify-decline.ts';
import type { FailedAttempt, PastAttempt, PaymentCase } from '../../../src/service/policy/payment-case.ts';
import { buildCase, FIRST, failed } from './policy-cases.ts';

const on = (day: number, code: string, changes: Partial<FailedAttempt> = {}): FailedAttempt => ({
  ...failed(day, code),
  fingerprint: 'one',
  ...changes,
});
const elsewhere = (day: number, code: string, changes: Partial<PastAttempt> = {}): PastAttempt => ({
  ...on(day, code),
  isPaid: false,
  ...changes,
});
const paid = (day: number, changes: Partial<PastAttempt> = {}): PastAttempt => ({
  at: FIRST.plus({ days: day }),
  fingerprint: 'one',
  methodType: 'card',
  isPaid: true,
  ...changes,
});

function readOf(attempts: FailedAttempt[], past: PastAttempt[] = [], changes: Partial<PaymentCase> = {}) {
  const latest = attempts.at(-1) ?? on(0, 'x');
  return readCardRecord(buildCase({ attempts, past, ...changes }), latest, latest.at);
}

const TWICE = 'duplicate_transaction';

test.each<[string, FailedAttempt[], PastAttempt[], string, string]>([
  ['the answer itself', [on(0, 'do_not_honor')], [], 'generic', 'do_not_honor'],
  [
    'the latest of two soft ones',
    [on(0, 'do_not_honor'), on(1, 'processing_error')],
    [],
    'soft',
    'processing_error',
  ],
  ['a hard one before a soft one', [on(0, 'lost_card'), on(1, 'do_not_honor')], [], 'hard', 'lost_card'],
  ['the latest of two hard ones', [on(0, 'lost_card'), on(1, 'stolen_card')], [], 'hard', 'stolen_card'],
  [
    'the latest hard one before a soft one',
    [on(0, 'lost_card'), on(1, 'stolen_card'), on(2, 'x')],
    [],
    'hard',
    'stolen_card',
  ],
  [
    'the stronger of two before',
    [on(0, 'lost_card'), on(1, 'authentication_required')],
    [],
    'hard',
    'lost_card',
  ],
  [
    'a stronger one after a weaker',
    [on(0, 'authentication_required'), on(1, 'lost_card')],
    [],
    'hard',
    'lost_card',
  ],
  [
    'new details before a confirmation',
    [on(0, 'expired_card'), on(1, 'authentication_required')],
    [],
    'update',
    'expired_card',
  ],
  [
    'a block before all',
    [on(0, 'highest_risk_level'), on(1, 'lost_card')],
    [],
    'never',
    'highest_risk_level',
  ],
  ['another card begins anew', [on(0, 'lost_card', { fingerprint: 'two' }), on(1, 'x')], [], 'generic', 'x'],
  ['a hard one elsewhere', [on(0, 'x')], [elsewhere(-2, 'lost_card')], 'hard', 'lost_card'],
  [
    'its own after one elsewhere',
    [on(0, 'stolen_card')],
    [elsewhere(-2, 'lost_card')],
    'hard',
    'stolen_card',
  ],
  ['one elsewhere 30 days before', [on(0, 'x')], [elsewhere(-30, 'lost_card')], 'hard', 'lost_card'],
  ['one elsewhere before that', [on(0, 'x')], [elsewhere(-30.001, 'lost_card')], 'generic', 'x'],
  ['a payment elsewhere is no refusal', [on(0, 'x')], [paid(-2, { code: 'lost_card' })], 'generic', 'x'],
  [
    'a method elsewhere that is not known',
    [on(0, 'x')],
    [{ at: FIRST.minus({ days: 2 }), code: 'lost_card', fingerprint: 'one', isPaid: false }],
    'generic',
    'x',
  ],
  ['a card that has paid since', [on(0, 'lost_card'), on(2, 'x')], [paid(1)], 'generic', 'x'],
  ['a card that has paid since the latest', [on(0, 'lost_card')], [paid(1)], 'soft', 'lost_card'],
  [
    'a card that has paid since a decline without a cause',
    [on(0, 'do_not_honor')],
    [paid(1)],
    'generic',
    'do_not_honor',
  ],
  [
    'another card that has paid since',
    [on(0, 'lost_card')],
    [paid(1, { fingerprint: 'two' })],
    'hard',
    'lost_card',
  ],
  ['a refusal since is no payment', [on(0, 'lost_card')], [elsewhere(1, 'x')], 'hard', 'lost_card'],
  ['two payments of one amount', [on(0, TWICE)], [], 'soft', TWICE],
  ['them twice', [on(0, TWICE), on(1, TWICE)], [], 'never', TWICE],
  ['them twice, and something else after', [on(0, TWICE), on(1, TWICE), on(2, 'x')], [], 'never', TWICE],
  ['them once, and something else', [on(0, TWICE), on(2, 'x')], [], 'generic', 'x'],
  ['something else twice, and them once', [on(0, 'x'), on(1, 'x'), on(2, TWICE)], [], 'soft', TWICE],
  ['them once more elsewhere', [on(0, TWICE)], [elsewhere(-1, TWICE)], 'soft', TWICE],
  ['them twice, with a payment between', [on(0, TWICE), on(2, TWICE)], [paid(1)], 'soft', TWICE],
])('what decides: %s', (_name, attempts, past, expected, code) => {
  expect(readOf(attempts, past)).toMatchObject({ class: expected, code });
});

test('of a card that is not known nothing is held against it from other invoices, and no payment speaks for it', () => {
  const unknown = { fingerprint: undefined };
  const past = [elsewhere(-1, 'lost_card', unknown), paid(1, unknown)];
  expect(readOf([on(0, 'x', unknown)], past)).toMatchObject({ class: 'generic', code: 'x' });
  expect(readOf([on(0, 'stolen_card', unknown)], past)).toMatchObject({ class: 'hard' });
  const untold = buildCase({ attempts: [on(0, 'x')] });
  expect(readCardRecord(untold, on(0, 'x'), FIRST)).toMatchObject({ class: 'generic', declined: 1 });
});

const day = (hours: number) => FIRST.plus({ hours });

test.each<[string, FailedAttempt[], PastAttempt[], { declined: number; isPassing: boolean; hours: number }]>([
  ['any decline', [on(0, 'do_not_honor')], [], { declined: 1, isPassing: false, hours: 24 }],
  ['a technical fault', [on(0, 'processing_error')], [], { declined: 1, isPassing: true, hours: 1 }],
  [
    'the second in a row',
    [on(0, 'processing_error'), on(1, 'processing_error')],
    [],
    { declined: 2, isPassing: true, hours: 24 + 3 },
  ],
  [
    'one after a hard decline',
    [on(0, 'lost_card'), on(1, 'processing_error')],
    [],
    { declined: 2, isPassing: false, hours: 24 + 1 },
  ],
  [
    'one of two cards',
    [on(0, 'x', { fingerprint: 'two' }), on(1, 'x')],
    [],
    { declined: 1, isPassing: false, hours: 48 },
  ],
  ['two payments of one amount', [on(0, TWICE)], [], { declined: 1, isPassing: true, hours: 24 }],
  [
    'advice to wait two days',
    [on(0, 'x', { networkAdviceCode: '26' })],
    [],
    { declined: 1, isPassing: false, hours: 48 },
  ],
  [
    'earlier advice to wait ten days',
    [on(0, 'x', { networkAdviceCode: '30' }), on(1, 'x')],
    [],
    { declined: 2, isPassing: false, hours: 240 },
  ],
  [
    'such advice elsewhere',
    [on(0, 'x')],
    [elsewhere(-1, 'x', { networkAdviceCode: '30' })],
    { declined: 1, isPassing: false, hours: 216 },
  ],
  [
    'such advice elsewhere, before a payment',
    [on(1, 'x')],
    [elsewhere(-1, 'x', { networkAdviceCode: '30' }), paid(0)],
    { declined: 1, isPassing: false, hours: 48 },
  ],
])('how long the card rests after %s', (_name, attempts, past, { declined, isPassing, hours }) => {
  expect(readOf(attempts, past, { brand: 'mastercard' })).toMatchObject({
    declined,
    isPassing,
    restUntil: day(hours),
  });
});

test('a card rests as long as the merchant wants, and by the clock of Greenwich', () => {
  const { restUntil, isPassing } = readOf([on(0, 'processing_error')], [], { limits: { minGapHours: 48 } });
  expect([restUntil.toISO(), isPassing]).toEqual(['2026-03-04T10:00:00.000Z', false]);
});

test('a decline is read by the brand of its card, before that of the case', () => {
  const told = (brand: string | undefined) => readOf([on(0, 'x', { networkAdviceCode: '03', brand })]).class;
  expect([told(undefined), told('mastercard')]).toEqual(['generic', 'hard']);
});

test.each<[Parameters<typeof classifyDecline>[0], ReturnType<typeof classifyDecline>, boolean]>([
  [{ code: 'insufficient_funds', methodType: 'card' }, { class: 'soft', waitHours: 0 }, true],
  [{ code: 'do_not_honor' }, { class: 'generic', waitHours: 0 }, true],
  [{ code: 'processing_error' }, { class: 'soft', waitHours: 0, briefRests: [1, 3, 6] }, true],
  [{ code: TWICE }, { class: 'soft', waitHours: 24, onRepeat: 'never' }, true],
  [{ code: 'stolen_card' }, { class: 'hard', waitHours: 0 }, false],
  [{ code: 'fraudulent', adviceCode: 'try_again_later' }, { class: 'hard', waitHours: 0 }, false],
  [{ code: 'insufficient_funds', methodType: 'sepa_debit' }, { class: 'bank_retry', waitHours: 0 }, false],
  [{ code: 'x', brand: 'mastercard', networkAdvice: '26' }, { class: 'soft', waitHours: 48 }, true],
])('of %j time may heal some', (codes, expected, isHealed) => {
  expect(classifyDecline(codes)).toEqual(expected);
  expect(isHealedByTime(codes)).toBe(isHealed);
});

test('a bank debit is known by its method', () => {
  expect(['sepa_debit', 'us_bank_account', 'card', 'link'].map(isBankDebit)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
