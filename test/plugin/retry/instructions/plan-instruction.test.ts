import fc from 'fast-check';
import { DateTime } from 'luxon';
import '../../../support/runner/luxon-equality.ts';
import {
  type PlanningFacts,
  planInstruction,
} from '../../../../src/plugin/retry/instructions/plan-instruction.ts';

const at = (text: string) => DateTime.fromISO(text, { zone: 'utc' });
const NOW = at('2026-03-02T10:00:00Z');
const BERLIN: Omit<PlanningFacts, 'suggestion' | 'idealAt'> = {
  type: 'suggestion',
  now: NOW,
  accountObjection: undefined,
  personsStop: undefined,
  objectionAt: () => undefined,
  asksInstead: true,
  zone: 'Europe/Berlin',
  window: { fromMinute: 8 * 60, toMinute: 20 * 60 },
  invoice: { id: 'in_1', status: 'open' },
};
const PAY = 'ACTION_SUGGESTION_RETRY';
const CARD = 'ACTION_SUGGESTION_CARD_CHANGE';
const CONFIRM = 'ACTION_SUGGESTION_CARD_CONFIRMATION';

const plan = (suggestion: string, idealAt: DateTime, context: Partial<PlanningFacts> = {}) =>
  planInstruction({ ...BERLIN, suggestion, idealAt, ...context });

function dueAt(suggestion: string, ideal: string, context: Partial<PlanningFacts> = {}): string | undefined {
  const planned = plan(suggestion, at(ideal), context);
  return planned.kind === 'action'
    ? `${planned.action} ${planned.dueAt.toUTC().toISO({ suppressMilliseconds: true })}`
    : undefined;
}

describe('planInstruction', () => {
  it.each([
    ['at its own time', PAY, '2026-03-04T03:17:05Z', 'pay 2026-03-04T03:17:05Z'],
    ['the past means now', PAY, '2026-03-01T00:00:00Z', 'pay 2026-03-02T10:00:00Z'],
    ['now means now', PAY, '2026-03-02T10:00:00Z', 'pay 2026-03-02T10:00:00Z'],
    ['a payment does not wait for the window', PAY, '2026-03-03T02:00:00Z', 'pay 2026-03-03T02:00:00Z'],
    ['email inside the window', CARD, '2026-03-03T12:00:00Z', 'card_update_email 2026-03-03T12:00:00Z'],
    [
      'email before the opening waits',
      CARD,
      '2026-03-03T02:00:00Z',
      'card_update_email 2026-03-03T07:00:00Z',
    ],
    ['email at the closing waits', CARD, '2026-03-03T19:00:00Z', 'card_update_email 2026-03-04T07:00:00Z'],
    ['email at the opening', CONFIRM, '2026-03-03T07:00:00Z', 'confirm_payment_email 2026-03-03T07:00:00Z'],
    ['email in summer time', CARD, '2026-03-29T01:30:00Z', 'card_update_email 2026-03-29T06:00:00Z'],
    [
      'email on the eve of summer time',
      CARD,
      '2026-03-28T20:00:00Z',
      'card_update_email 2026-03-29T06:00:00Z',
    ],
  ])('planInstruction finds the due time: %s', (_name, suggestion, ideal, expected) => {
    expect(dueAt(suggestion, ideal)).toBe(expected);
  });

  it('planInstruction lets email on the night of winter time wait an hour longer', () => {
    const now = at('2026-10-24T10:00:00Z');
    expect(dueAt(CARD, '2026-10-24T22:00:00Z', { now })).toBe('card_update_email 2026-10-25T07:00:00Z');
  });

  it('planInstruction plans overdue email for the window that is open now, or the next', () => {
    expect(dueAt(CARD, '2026-01-01T00:00:00Z')).toBe('card_update_email 2026-03-02T10:00:00Z');
    const now = at('2026-03-02T22:00:00Z');
    expect(dueAt(CARD, '2026-01-01T00:00:00Z', { now })).toBe('card_update_email 2026-03-03T07:00:00Z');
  });

  it('planInstruction accepts what is exactly at the horizon and refuses what is beyond', () => {
    const edge = NOW.plus({ days: 60 });
    expect(plan(PAY, edge)).toMatchObject({ kind: 'action' });
    const beyond = plan(PAY, edge.plus(1));
    expect(beyond).toMatchObject({ kind: 'refused', reason: { code: 'beyond_horizon', days: 60 } });
  });

  it.each(['ACTION_SUGGESTION_UNSPECIFIED', 'ACTION_SUGGESTION_NEW', '', 'constructor'])(
    'planInstruction plans no action for the suggestion %p',
    (suggestion) => {
      expect(plan(suggestion, NOW).kind).toBe('no_action');
    },
  );

  it('planInstruction never plans the past, nor email outside the window of a zone', () => {
    const zones = fc.constantFrom(
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kathmandu',
      'Pacific/Apia',
      'UTC',
    );
    const offset = fc.integer({ min: -90 * 24 * 60, max: 60 * 24 * 60 });
    fc.assert(
      fc.property(fc.constantFrom(PAY, CARD, CONFIRM), offset, zones, (suggestion, minutes, zone) => {
        const ideal = NOW.plus({ minutes });
        const planned = plan(suggestion, ideal, { zone });
        if (planned.kind !== 'action') throw new Error(`not planned: ${planned.kind}`);
        expect(planned.dueAt >= NOW && planned.dueAt >= ideal).toBe(true);
        if (suggestion === PAY) return expect(planned.dueAt).toEqual(DateTime.max(NOW, ideal));
        const { hour } = planned.dueAt.setZone(zone);
        expect(hour >= 8 && hour < 20).toBe(true);
        expect(planned.dueAt.diff(DateTime.max(NOW, ideal)).as('hours')).toBeLessThanOrEqual(13);
      }),
    );
  });
});

describe('what is known to stand against a payment', () => {
  const ideal = NOW.plus({ hours: 5 });
  const near = { code: 'stripe_tries', at: '2026-03-02T15:30:00.000Z' } as const;
  const rest = { code: 'hours_between_attempts', hours: 1 } as const;
  const final = { code: 'hard_decline', because: 'stolen_card', declinedAt: '2026-03-02T10:00:00Z' } as const;

  it('a payment keeps its time and names the time after all objections, with the first reason', () => {
    const objectionAt = (at: DateTime) => {
      if (at < NOW.plus({ hours: 6 })) return { reason: near, until: NOW.plus({ hours: 6 }) };
      return at < NOW.plus({ hours: 7 }) ? { reason: rest, until: NOW.plus({ hours: 7 }) } : undefined;
    };
    expect(plan(PAY, ideal, { objectionAt })).toEqual({
      kind: 'action',
      action: 'pay',
      dueAt: ideal,
      predicted: { reason: near, until: NOW.plus({ hours: 7 }) },
    });
  });

  it('an objection for good outweighs one that passes', () => {
    const objectionAt = (at: DateTime) =>
      at <= ideal ? { reason: near, until: ideal.plus({ hours: 1 }) } : { reason: final };
    expect(plan(PAY, ideal, { objectionAt })).toMatchObject({ action: 'pay', predicted: { reason: final } });
  });

  it('a card that ends the payment asks the customer now, unless the service is notified and asks itself', () => {
    const objectionAt = () => ({ reason: final, asks: 'card_update_email' as const });
    expect(plan(PAY, ideal, { objectionAt })).toMatchObject({ action: 'card_update_email', dueAt: NOW });
    expect(plan(PAY, ideal, { objectionAt, asksInstead: false })).toMatchObject({
      action: 'pay',
      dueAt: ideal,
    });
  });
});
