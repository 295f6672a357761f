/** What of a case is evidence about its customer's money. */
import { evidenceOf } from '../../../../src/service/policy/learning/evidence.ts';
import type { PastAttempt } from '../../../../src/service/policy/payment-case.ts';
import { buildCase, FIRST, failed } from '../policy-cases.ts';

const DAY = 86_400_000;
const past = (day: number, changes: Partial<PastAttempt> = {}): PastAttempt => ({
  at: FIRST.plus({ days: day }),
  isPaid: false,
  methodType: 'card',
  code: 'insufficient_funds',
  ...changes,
});
const days = (answers: readonly { ms: number; isPaid: boolean }[]) =>
  answers.map(({ ms, isPaid }) => `${(ms - FIRST.toMillis()) / DAY}${isPaid ? ' paid' : ''}`);

test('answers before the first failure are about earlier money, if money was the question', () => {
  const { code: _, methodType: __, ...plain } = past(-3);
  const { past: earlier } = evidenceOf(
    buildCase({
      past: [
        past(-9, { code: 'stolen_card' }),
        past(-8, { code: 'stolen_card', isPaid: true }),
        past(-7, { methodType: 'sepa_debit' }),
        past(-6, { code: 'do_not_honor' }),
        past(-5, { code: 'authentication_required' }),
        past(-4),
        plain,
        past(0),
        past(1),
      ],
    }),
  );
  expect(days(earlier)).toEqual(['-8 paid', '-6', '-4', '-3']);
});

test('of earlier answers the latest forty are looked at', () => {
  const many = Array.from({ length: 45 }, (_, index) => past(index - 45));
  const { past: earlier } = evidenceOf(buildCase({ past: many }));
  expect([days(earlier).length, days(earlier)[0], days(earlier).at(-1)]).toEqual([40, '-40', '-1']);
});

test('answers to the invoice stand among refusals of the same card elsewhere, in the order of time', () => {
  const on = (day: number) => ({ ...failed(day, 'insufficient_funds'), fingerprint: 'one' });
  const elsewhere = (day: number, amount: number) => past(day, { fingerprint: 'one', amount });
  const { answers, family, zone } = evidenceOf(
    buildCase({
      zone: 'Europe/Berlin',
      attempts: [on(0), on(10)],
      past: [elsewhere(-1, 500), elsewhere(4, 500), elsewhere(5, 9000), elsewhere(12, 500)],
    }),
  );
  expect(days(answers)).toEqual(['0', '4', '10', '12']);
  expect([family, zone.name]).toEqual(['funds', 'Europe/Berlin']);
});

test('the first answer says which beliefs a case begins with', () => {
  const familyOf = (...codes: (string | undefined)[]) =>
    evidenceOf(buildCase({ attempts: codes.map((code, day) => failed(day, code)) })).family;
  expect([
    familyOf('processing_error', 'insufficient_funds'),
    familyOf('do_not_honor'),
    familyOf(undefined),
  ]).toEqual([...['passing', 'generic', 'generic']]);
});

test('of a case without a failure nothing is known', () => {
  expect(evidenceOf(buildCase({ attempts: [], past: [past(-1)] }))).toMatchObject({ past: [], answers: [] });
  expect(evidenceOf(buildCase())).toMatchObject({ past: [] });
});
