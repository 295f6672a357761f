/** Sentences of reasons say what a code means, never the code itself. */
import { DECLINES } from '../../../../src/core/declines/find-decline.ts';
import { ADVICE_CODES, MASTERCARD_ADVICE } from '../../../../src/core/declines/network-codes.ts';
import { describeReason } from '../../../../src/plugin/operator/text/describe-reason.ts';

const CODES = [
  ...DECLINES.map(({ code }) => code),
  ...ADVICE_CODES.map(({ value }) => value),
  ...MASTERCARD_ADVICE.map(({ value }) => `Mastercard advice ${value}`),
  'Visa code 04',
];

describe('a decline in the sentence of a reason', () => {
  it.each(CODES)('%s is in words', (because) => {
    const sentences = [
      describeReason({ code: 'hard_decline', because, declinedAt: '2026-03-02T10:00:00.000Z' }),
      describeReason({ code: 'few_attempts', count: 6, because }),
      describeReason({ code: 'decline_asks_to_wait', because }),
      describeReason({ code: 'merchant_matter', because }),
      describeReason({ code: 'attempt_ended', outcome: 'requires_action', declineCode: because }),
    ];
    for (const sentence of sentences) expect(sentence).not.toMatch(/[a-z]_[a-z]|advice \d|code \d/);
  });

  it('reads as a sentence', () => {
    const hard = (because: string) =>
      describeReason({ code: 'hard_decline', because, declinedAt: '2026-03-02T10:00:00.000Z' });
    expect(hard('do_not_try_again')).toBe(
      'this card was declined on 2026-03-02 10:00:00 UTC (the bank asks not to try this card again), which another attempt will not fix',
    );
    expect(hard('Mastercard advice 21')).toContain('(the customer canceled the recurring payment)');
    expect(hard('low_probability_of_authorization')).toContain('(Stripe expects the bank to refuse');
  });

  it('names an email by what it asks', () => {
    expect(describeReason({ code: 'email_sent', template: 'card_update' })).toBe(
      'the email “please update your card” was sent',
    );
  });
});
