import fc from 'fast-check';
import type { DeclineCodes } from '../../../src/core/declines/classify.ts';
import { classifyDecline, type DeclineClass } from '../../../src/core/declines/decline-classes.ts';

function classify(codes: Partial<DeclineCodes>) {
  return classifyDecline({
    methodType: undefined,
    brand: undefined,
    code: undefined,
    declineCode: undefined,
    adviceCode: undefined,
    networkCode: undefined,
    networkAdvice: undefined,
    ...codes,
  });
}

describe('precedence', () => {
  /** Strongest first (stripe-facts 5.4). Each pair differs in class or in the reason it names. */
  const LADDER: [string, Partial<DeclineCodes>, string][] = [
    ['a block', { declineCode: 'highest_risk_level' }, 'highest_risk_level'],
    ['do_not_try_again', { adviceCode: 'do_not_try_again' }, 'do_not_try_again'],
    ['Mastercard 03', { brand: 'mastercard', networkAdvice: '03' }, 'Mastercard advice 03'],
    ["Stripe's list", { declineCode: 'stolen_card' }, 'stolen_card'],
    ['authentication', { code: 'authentication_required' }, 'authentication_required'],
    ['confirm_card_data', { adviceCode: 'confirm_card_data' }, 'confirm_card_data'],
    ['Mastercard wait', { brand: 'mastercard', networkAdvice: '26' }, 'Mastercard advice 26'],
    ['the decline code', { declineCode: 'expired_card' }, 'expired_card'],
    ['the error code', { code: 'invalid_number' }, 'invalid_number'],
  ];
  const pairs = LADDER.flatMap((strong, at) => LADDER.slice(at + 1).map((weak) => [strong, weak] as const))
    // One field holds one code: pairs that need two values of one field cannot occur.
    .filter(([[, strong], [, weak]]) => !Object.keys(strong).some((key) => key !== 'brand' && key in weak));

  it.each(pairs.map(([strong, weak]) => [strong[0], weak[0], strong, weak] as const))(
    'in a decline, %s outweighs %s',
    (_strong, _weak, [, strong, because], [, weak]) => {
      expect(classify({ ...weak, ...strong }).because).toBe(because);
    },
  );

  it.each<[string, DeclineClass]>([
    ['highest_risk_level', 'never'],
    ['rule', 'never'],
    ['merchant_blacklist', 'never'],
    ['blocked', 'never'],
    ['low_probability_of_authorization', 'needs_new_card'],
    ['previously_declined_do_not_retry', 'needs_new_card'],
  ])('the block %s is classed as %s whatever else the decline says', (declineCode, expected) => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (adviceCode, networkCode, networkAdvice) => {
        const codes = { declineCode, adviceCode, networkCode, networkAdvice, brand: 'mastercard' };
        expect(classify(codes).class).toBe(expected);
      }),
    );
  });

  it('in a decline, what the customer must confirm outweighs advice, and advice outweighs a code', () => {
    const unhandled = classify({
      declineCode: 'authentication_not_handled',
      adviceCode: 'confirm_card_data',
    });
    expect(unhandled).toMatchObject({ class: 'needs_customer', because: 'authentication_not_handled' });
    const advised = classify({ declineCode: 'incorrect_zip', brand: 'mastercard', networkAdvice: '02' });
    expect(advised).toMatchObject({ class: 'wait', waitHours: 72 });
  });

  it('the advice try_again_later does not soften a hard code, and an unknown advice changes nothing', () => {
    expect(classify({ declineCode: 'lost_card', adviceCode: 'try_again_later' }).class).toBe(
      'needs_new_card',
    );
    expect(classify({ declineCode: 'do_not_honor', adviceCode: 'from_the_future' }).class).toBe('retryable');
  });
});

it('a decline is classed with no more than its terms, and with the code that decided', () => {
  const debit = { methodType: 'sepa_debit' };
  const cases: [Partial<DeclineCodes>, object][] = [
    [{}, { class: 'retryable', isUnexplained: true, because: 'no code given' }],
    [
      { brand: 'visa', networkCode: '04', declineCode: 'do_not_honor' },
      { class: 'needs_new_card', because: 'Visa code 04' },
    ],
    [{ declineCode: 'lost_card' }, { class: 'needs_new_card', because: 'lost_card' }],
    [debit, { class: 'needs_new_card', because: 'no code given' }],
    [
      { ...debit, code: 'insufficient_funds' },
      { class: 'retryable', because: 'insufficient_funds' },
    ],
    [
      { methodType: 'bacs_debit', code: 'generic_could_not_process' },
      { class: 'retryable', maxAttempts: 2, because: 'generic_could_not_process' },
    ],
  ];
  for (const [codes, classified] of cases) expect(classify(codes)).toStrictEqual(classified);
});
