import { classifyDecline } from '../../../src/core/declines/decline-classes.ts';
import { findFundsRest, restHours } from '../../../src/core/limits/card-rest.ts';

/** Codes in the order of the refusals; `-` is an answer that was none, a number Mastercard's advice. */
function rest(codes: string, gapHours?: number): number {
  const none = { methodType: 'card', adviceCode: undefined, networkCode: undefined };
  const answers = codes.split(' ').map((code) =>
    code === '-'
      ? undefined
      : classifyDecline({
          ...none,
          brand: 'mastercard',
          code: 'card_declined',
          declineCode: /^\d/.test(code) ? 'insufficient_funds' : code,
          networkAdvice: /^\d/.test(code) ? code : undefined,
        }),
  );
  return restHours(answers, gapHours);
}

it.each([
  ['processing_error', 1],
  ['issuer_not_available processing_error', 3],
  ['try_again_later', 6],
  ['processing_error try_again_later', 24],
  ['insufficient_funds reenter_transaction processing_error issuer_not_available', 6],
  ['processing_error processing_error processing_error processing_error', 24],
  ['processing_error insufficient_funds', 24],
  ['processing_error insufficient_funds processing_error', 1],
  ['processing_error -', 24],
  ['- processing_error', 1],
  ['24', 1],
  ['24 24 24', 1],
  ['24 24 24 24', 24],
  ['25', 24],
  ['duplicate_transaction', 24],
  ['do_not_honor', 24],
])('after %s a card rests for %d hours', (codes, hours) => {
  expect(rest(codes)).toBe(hours);
});

it('a rest that the merchant chose holds for all', () => {
  expect([rest('processing_error', 25), rest('24', 48), rest('do_not_honor', 6)]).toEqual([25, 48, 6]);
});

it('a card rests for its funds as long as the refusal says', () => {
  const codes = { methodType: 'card', brand: 'mastercard', code: 'card_declined', networkCode: undefined };
  const refusal = {
    atMs: 5,
    amount: 1,
    isPaid: false,
    codes: { ...codes, declineCode: 'insufficient_funds', adviceCode: undefined, networkAdvice: '24' },
  };
  expect(findFundsRest([refusal], { amount: 1, gapHours: undefined })).toEqual({
    refusal,
    untilMs: 3_600_005,
  });
});
