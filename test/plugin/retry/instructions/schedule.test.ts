import fc from 'fast-check';
import { DateTime } from 'luxon';
import '../../../support/runner/luxon-equality.ts';
import {
  type SchedulingContext,
  scheduleInstruction,
} from '../../../../src/plugin/retry/instructions/schedule.ts';

const at = (text: string) => DateTime.fromISO(text, { zone: 'utc' });
const NOW = at('2026-03-02T10:00:00Z');
const BERLIN: SchedulingContext = {
  now: NOW,
  retryHorizonDays: 60,
  zone: 'Europe/Berlin',
  window: { fromMinute: 8 * 60, toMinute: 20 * 60 },
  invoice: { id: 'in_1', status: 'open' },
};
const PAY = 'ACTION_SUGGESTION_RETRY';
const CARD = 'ACTION_SUGGESTION_CARD_CHANGE';
const CONFIRM = 'ACTION_SUGGESTION_CARD_CONFIRMATION';

function dueAt(
  suggestion: string,
  ideal: string,
  context: Partial<SchedulingContext> = {},
): string | undefined {
  const plan = scheduleInstruction(suggestion, at(ideal), { ...BERLIN, ...context });
  return plan.kind === 'action'
    ? `${plan.action} ${plan.dueAt.toUTC().toISO({ suppressMilliseconds: true })}`
    : undefined;
}

describe('scheduleInstruction', () => {
  it.each([
    ['at its own time', PAY, '2026-03-04T03:17:05Z', 'pay 2026-03-04T03:17:05Z'],
    ['the past means now', PAY, '2026-03-01T00:00:00Z', 'pay 2026-03-02T10:00:00Z'],
    ['now means now', PAY, '2026-03-02T10:00:00Z', 'pay 2026-03-02T10:00:00Z'],
    ['a payment does not wait for the window', PAY, '2026-03-03T02:00:00Z', 'pay 2026-03-03T02:00:00Z'],
    ['mail inside the window', CARD, '2026-03-03T12:00:00Z', 'card_update_email 2026-03-03T12:00:00Z'],
    ['mail before the opening waits', CARD, '2026-03-03T02:00:00Z', 'card_update_email 2026-03-03T07:00:00Z'],
    ['mail at the closing waits', CARD, '2026-03-03T19:00:00Z', 'card_update_email 2026-03-04T07:00:00Z'],
    ['mail at the opening', CONFIRM, '2026-03-03T07:00:00Z', 'confirm_payment_email 2026-03-03T07:00:00Z'],
    ['mail in summer time', CARD, '2026-03-29T01:30:00Z', 'card_update_email 2026-03-29T06:00:00Z'],
    [
      'mail on the eve of summer time',
      CARD,
      '2026-03-28T20:00:00Z',
      'card_update_email 2026-03-29T06:00:00Z',
    ],
  ])('scheduleInstruction finds the due time: %s', (_name, suggestion, ideal, expected) => {
    expect(dueAt(suggestion, ideal)).toBe(expected);
  });

  it('scheduleInstruction lets mail on the night of winter time wait an hour longer', () => {
    const now = at('2026-10-24T10:00:00Z');
    expect(dueAt(CARD, '2026-10-24T22:00:00Z', { now })).toBe('card_update_email 2026-10-25T07:00:00Z');
  });

  it('scheduleInstruction plans overdue mail for the window that is open now, or the next', () => {
    expect(dueAt(CARD, '2026-01-01T00:00:00Z')).toBe('card_update_email 2026-03-02T10:00:00Z');
    const now = at('2026-03-02T22:00:00Z');
    expect(dueAt(CARD, '2026-01-01T00:00:00Z', { now })).toBe('card_update_email 2026-03-03T07:00:00Z');
  });

  it('scheduleInstruction accepts what is exactly at the horizon and refuses what is beyond', () => {
    const edge = NOW.plus({ days: 60 });
    expect(scheduleInstruction(PAY, edge, BERLIN)).toMatchObject({ kind: 'action' });
    const beyond = scheduleInstruction(PAY, edge.plus(1), BERLIN);
    expect(beyond).toMatchObject({ kind: 'refused', reason: { code: 'beyond_horizon', days: 60 } });
  });

  it.each(['ACTION_SUGGESTION_UNSPECIFIED', 'ACTION_SUGGESTION_NEW', '', 'constructor'])(
    'scheduleInstruction plans no action for the suggestion %p',
    (suggestion) => {
      expect(scheduleInstruction(suggestion, NOW, BERLIN).kind).toBe('no_action');
    },
  );

  it('scheduleInstruction never plans the past, nor mail outside the window of a zone', () => {
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
        const plan = scheduleInstruction(suggestion, ideal, { ...BERLIN, zone });
        if (plan.kind !== 'action') throw new Error(`not planned: ${plan.reason.code}`);
        expect(plan.dueAt >= NOW && plan.dueAt >= ideal).toBe(true);
        if (suggestion === PAY) return expect(plan.dueAt).toEqual(DateTime.max(NOW, ideal));
        const { hour } = plan.dueAt.setZone(zone);
        expect(hour >= 8 && hour < 20).toBe(true);
        expect(plan.dueAt.diff(DateTime.max(NOW, ideal)).as('hours')).toBeLessThanOrEqual(13);
      }),
    );
  });
});
