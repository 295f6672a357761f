import { DateTime } from 'luxon';
import { findDecline } from '../../../src/core/declines/find-decline.ts';
import {
  accepts,
  acceptsFirst,
  debitFailsTimes,
  declines,
  declinesInTurn,
  declinesLikeIssuers,
  declinesTimes,
  declinesUntil,
  type PaymentMethodBehaviour,
  pendingThen,
  requiresAuthentication,
} from '../../../src/workbench/sandbox/payment-behaviour.ts';

const NOON = DateTime.fromISO('2026-11-01T12:00:00Z', { zone: 'utc' });

function kinds(behaviour: PaymentMethodBehaviour, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    return behaviour.answer({ chargeNumber: index + 1, at: NOON, amount: 1000 }).kind;
  });
}

describe('payment methods', () => {
  it.each([
    ['accepts', accepts(), ['accepted', 'accepted']],
    ['declines', declines('do_not_honor'), ['declined', 'declined']],
    ['acceptsFirst', acceptsFirst(2, declines('do_not_honor')), ['accepted', 'accepted', 'declined']],
    ['declinesTimes', declinesTimes(2, 'processing_error'), ['accepted', 'declined', 'declined', 'accepted']],
    ['declinesInTurn', declinesInTurn(['lost_card', 'do_not_honor']), ['declined', 'declined', 'accepted']],
    ['requiresAuthentication', requiresAuthentication('action'), ['requires_action']],
    ['pendingThen', pendingThen('succeed'), ['pending', 'pending']],
    [
      'acceptsFirst and then declinesTimes',
      acceptsFirst(1, declinesTimes(1, 'processing_error')),
      ['accepted', 'accepted', 'declined', 'accepted'],
    ],
  ])('payment methods that follow %s answer in that order', (_name, behaviour, expected) => {
    expect(kinds(behaviour, expected.length)).toEqual(expected);
  });

  it('payment methods that fail a number of debits settle the later ones', () => {
    const account = debitFailsTimes(1);
    const settlesAs = (chargeNumber: number) => account.answer({ chargeNumber, at: NOON, amount: 1000 });
    expect(settlesAs(1)).toMatchObject({ kind: 'pending', settlesAs: { errorCode: 'insufficient_funds' } });
    expect(settlesAs(2)).toMatchObject({ kind: 'pending', settlesAs: 'succeeded' });
  });

  it('payment methods short of money until pay day accept from that instant on', () => {
    const card = declinesUntil(NOON, 'insufficient_funds');
    const at = (instant: DateTime) => card.answer({ chargeNumber: 3, at: instant, amount: 1000 }).kind;
    expect([at(NOON.minus({ seconds: 1 })), at(NOON)]).toEqual(['declined', 'accepted']);
  });

  it.each([
    ['insufficient_funds', 'card_declined', 'insufficient_funds', '51', 'try_again_later'],
    ['expired_card', 'expired_card', null, '54', 'confirm_card_data'],
    ['stolen_card', 'card_declined', 'stolen_card', '43', 'do_not_try_again'],
    ['something_new', 'card_declined', 'something_new', null, null],
  ])(
    'payment methods declined with %s say what issuers usually say',
    (code, errorCode, declineCode, network, advice) => {
      expect(declines(code).answer({ chargeNumber: 1, at: NOON, amount: 1 })).toMatchObject({
        decline: { errorCode, declineCode, networkDeclineCode: network, adviceCode: advice },
      });
    },
  );

  it('payment methods that decline like issuers say the same for the same seed, and leave much unsaid (stripe-facts 8.3)', () => {
    const draw = (seed: number) =>
      Array.from({ length: 3000 }, (_, index) => {
        const answer = declinesLikeIssuers(seed).answer({ chargeNumber: index + 1, at: NOON, amount: 1 });
        return answer.kind === 'declined' ? answer.decline : undefined;
      });
    const drawn = draw(1);
    expect(drawn).toEqual(draw(1));
    expect(drawn).not.toEqual(draw(2));
    const share = (isSo: (decline: NonNullable<(typeof drawn)[number]>) => boolean) =>
      drawn.filter((decline) => decline && isSo(decline)).length / drawn.length;
    const isFinal = (code: string | null) => code === 'do_not_try_again' || code === '03';
    expect(
      share((one) => one.declineCode === 'insufficient_funds' && one.adviceCode === null),
    ).toBeGreaterThan(0.1);
    expect(share((one) => !one.adviceCode && !one.networkDeclineCode && !one.networkAdviceCode)).toBeCloseTo(
      1 / 3,
      1,
    );
    expect(
      share(
        (one) =>
          one.declineCode === 'insufficient_funds' &&
          (isFinal(one.adviceCode) || isFinal(one.networkAdviceCode)),
      ),
    ).toBeGreaterThan(0.02);
    expect(share((one) => findDecline(one.declineCode ?? one.errorCode) === undefined)).toBeGreaterThan(0.01);
  });

  it('payment methods with the same details have the same fingerprint, and others another', () => {
    const fingerprint = (behaviour: PaymentMethodBehaviour) =>
      'fingerprint' in behaviour.details && behaviour.details.fingerprint;
    expect(fingerprint(accepts())).toBe(fingerprint(declines('lost_card')));
    expect(fingerprint(accepts())).not.toBe(fingerprint(accepts({ last4: '1111' })));
  });
});
