/** What answers to a payer's other invoices say about the card of this one. */
import '../../support/runner/luxon-equality.ts';
import {
  findPayerSignal,
  listTellingRefusals,
  type PayerSignal,
} from '../../../src/service/policy/payer-signal.ts';
import type { PastAttempt } from '../../../src/service/policy/payment-case.ts';
import { buildCase, FIRST, failed } from './policy-cases.ts';

const CARD = 'one';
const onCard = (day: number, fingerprint: string | undefined = CARD) => ({
  ...failed(day, 'insufficient_funds'),
  fingerprint,
});
/** Failed on Monday, and again on Thursday. */
const INVOICE = buildCase({ subscriptionId: 'sub_1', attempts: [onCard(0), onCard(3)] });

const answer = (day: number, changes: Partial<PastAttempt> = {}): PastAttempt => ({
  id: `txn_${day}`,
  at: FIRST.plus({ days: day }),
  isPaid: false,
  methodType: 'card',
  fingerprint: CARD,
  amount: 500,
  ...changes,
});
const paid = (day: number, changes: Partial<PastAttempt> = {}) => answer(day, { isPaid: true, ...changes });
const short = (day: number, amount?: number) => answer(day, { code: 'insufficient_funds', amount });
const coded = (code: string, changes: Partial<PastAttempt> = {}) => answer(4, { code, ...changes });

test.each<[string, PastAttempt[], PayerSignal['kind'] | undefined]>([
  ['no other invoice', [], undefined],
  ['a payment since the last refusal', [paid(4)], 'paid'],
  ['a payment between the refusals', [paid(1)], undefined],
  ['a payment of the same moment', [paid(3)], undefined],
  ['a payment with another card', [paid(4, { fingerprint: 'two' })], undefined],
  ['a payment with a card that is not known', [paid(4, { fingerprint: undefined })], undefined],
  ['too little money for less', [short(4, 1999)], 'refused'],
  ['too little money for as much', [short(4, 2000)], 'refused'],
  ['too little money for more', [short(4, 2001)], undefined],
  ['too little money for an unknown amount', [short(4)], undefined],
  ['a stolen card', [coded('stolen_card')], 'ended'],
  ['an expired card', [coded('expired_card')], 'ended'],
  ['a confirmation that is missing', [coded('authentication_required')], undefined],
  ['a decline without a cause', [coded('do_not_honor')], undefined],
  ['a code that Visa never lifts', [coded('do_not_honor', { networkCode: '14' })], 'ended'],
  [
    'the same code of another brand',
    [coded('do_not_honor', { networkCode: '14', brand: 'amex' })],
    undefined,
  ],
  [
    'advice of Mastercard that is final',
    [coded('do_not_honor', { networkAdviceCode: '03', brand: 'mastercard' })],
    'ended',
  ],
  ['advice of Stripe that is final', [coded('do_not_honor', { adviceCode: 'do_not_try_again' })], 'ended'],
  ['of several, the latest', [paid(4), short(5, 500)], 'refused'],
  ['the latest that says something', [paid(4), short(5, 9000)], 'paid'],
])('the signal of another invoice: %s', (_name, past, expected) => {
  expect(findPayerSignal({ ...INVOICE, past })?.kind).toBe(expected);
});

test.each<[string, PastAttempt, number]>([
  ['another amount', paid(4), 0],
  ['the same amount of an unknown subscription', paid(4, { amount: 2000 }), 8 * 60],
  ['the same amount of this subscription', paid(4, { amount: 2000, subscriptionId: 'sub_1' }), 8 * 60],
  ['the same amount of another subscription', paid(4, { amount: 2000, subscriptionId: 'sub_2' }), 21],
  ['a refusal of the same amount', { ...short(4, 2000), subscriptionId: 'sub_2' }, 8 * 60],
])('after %s the card rests for minutes', (_name, one, minutes) => {
  const { id, at } = one;
  expect(findPayerSignal({ ...INVOICE, past: [one] })).toEqual({
    kind: one.isPaid ? 'paid' : 'refused',
    id,
    restUntil: at.plus({ minutes }),
  });
});

test('a card that is not known, or an invoice without a failure, has no signal', () => {
  const past = [paid(4, { fingerprint: undefined }), short(4, 500)];
  const unknown = { ...INVOICE, past, attempts: [failed(0, 'insufficient_funds')] };
  const empty = { ...INVOICE, past, attempts: [] };
  for (const one of [unknown, empty, INVOICE])
    expect([findPayerSignal(one), listTellingRefusals(one)]).toEqual([undefined, []]);
});

test('refusals since the first failure for no more money tell as much as own ones', () => {
  const other = { ...short(2, 500), fingerprint: 'two' };
  const past = [short(-1, 500), short(0, 500), short(1, 500), other, paid(2), short(4, 2000), short(5, 2001)];
  expect(listTellingRefusals({ ...INVOICE, past }).map(({ id }) => id)).toEqual(['txn_1', 'txn_4']);
});
