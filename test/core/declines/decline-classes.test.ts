import fc from 'fast-check';
import type { DeclineCodes } from '../../../src/core/declines/classify.ts';
import { classifyDecline, type DeclineClass } from '../../../src/core/declines/decline-classes.ts';
import { DECLINES } from '../../../src/core/declines/find-decline.ts';

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

describe('decline codes', () => {
  it.each(['withdrawal_count_limit_exceeded', 'card_velocity_exceeded', 'card_decline_rate_limit_exceeded'])(
    'the decline code %s waits a day',
    (declineCode) => {
      expect(classify({ declineCode })).toMatchObject({ class: 'wait', waitHours: 24 });
    },
  );

  it('a decline code that is not known is retryable with few attempts, and named as the reason', () => {
    const known = new Set(DECLINES.map(({ code }) => code));
    fc.assert(
      fc.property(
        fc.string().filter((code) => !known.has(code)),
        (declineCode) => {
          expect(classify({ code: 'card_declined', declineCode })).toEqual({
            class: 'retryable',
            isUnexplained: true,
            because: declineCode,
          });
        },
      ),
    );
  });

  it.each(['generic_decline', 'do_not_honor', 'call_issuer', 'no_action_taken', 'security_violation'])(
    'the decline code %s gives few attempts, and a code that names a cause does not',
    (declineCode) => {
      expect(classify({ code: 'card_declined', declineCode }).isUnexplained).toBe(true);
      expect(classify({ code: 'expired_card', declineCode })).toEqual({
        class: 'needs_new_card',
        isMendable: true,
        because: 'expired_card',
      });
      expect(classify({ declineCode: 'insufficient_funds' }).isUnexplained).toBeUndefined();
    },
  );

  it('a decline without any code is retryable', () => {
    expect(classify({})).toEqual({ class: 'retryable', isUnexplained: true, because: 'no code given' });
  });
});

describe('bank debits', () => {
  it.each<[string, string, string, DeclineClass]>([
    ['us_bank_account', 'R01', 'debit_not_authorized', 'retryable'],
    ['us_bank_account', 'R09', 'brand_new_code', 'retryable'],
    ['us_bank_account', 'R08', 'insufficient_funds', 'needs_new_card'],
    ['us_bank_account', 'R99', 'insufficient_funds', 'retryable'],
    ['us_bank_account', 'R99', 'account_closed', 'needs_new_card'],
    ['sepa_debit', 'AM04', 'refer_to_customer', 'retryable'],
    ['bacs_debit', '0', 'refer_to_customer', 'retryable'],
    ['card', 'R01', 'expired_card', 'needs_new_card'],
  ])('for %s, the return code %s outweighs %s and gives %s', (methodType, networkCode, code, expected) => {
    expect(classify({ methodType, networkCode, code }).class).toBe(expected);
  });

  it.each(['us_bank_account', 'sepa_debit'])(
    'a bank debit by %s is never presented again for an unknown reason',
    (methodType) => {
      fc.assert(
        fc.property(fc.string(), fc.option(fc.string(), { nil: undefined }), (code, declineCode) => {
          fc.pre((declineCode ?? code) !== 'insufficient_funds');
          expect(['needs_new_card', 'needs_customer', 'never']).toContain(
            classify({ methodType, code, declineCode }).class,
          );
        }),
      );
    },
  );
});

describe('network codes', () => {
  it('a Mastercard security decline with advice 01 asks for authentication', () => {
    expect(classify({ brand: 'mastercard', networkAdvice: '01', networkCode: '83' }).class).toBe(
      'needs_customer',
    );
  });
});
