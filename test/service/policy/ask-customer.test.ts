/** When a customer is asked, how often, and when the case is given up. */
import type { DateTime } from 'luxon';
import {
  type Asking,
  askCustomer,
  concludeWithCardChange,
  givenEmails,
  hasFinalRequest,
  suggestEmail,
  USED_UP,
} from '../../../src/service/policy/ask-customer.ts';
import type { Decision, PaymentCase } from '../../../src/service/policy/payment-case.ts';
import { buildCase, FIRST, failed, given } from './policy-cases.ts';

const CARD = 'ACTION_SUGGESTION_CARD_CHANGE';
const RETRY = 'ACTION_SUGGESTION_RETRY';
const why = { code: 'bank_answered', remedy: 'another_card' } as const;
const ASKING: Asking = { suggestion: CARD, reason: 'hard_decline', reasons: [why] };
const LAST = { code: 'retries_used_up', max: 8 } as const;

const at = (day: number) => FIRST.plus({ days: day });
const emails = (...days: number[]) => days.map((day) => given(day, CARD));
const dayOf = (time: DateTime) => time.diff(FIRST).as('days');

/** `email 3`, `wait 7`, `stop`: days after the first failure. */
function plan(decision: Decision): string {
  if ('stop' in decision) return 'stop';
  if ('waitUntil' in decision) return `wait ${dayOf(decision.waitUntil)}`;
  return `email ${dayOf(decision.at)}`;
}

const lost = (...days: number[]) => days.map((day) => failed(day, 'lost_card'));
const short = (...days: number[]) => days.map((day) => failed(day, 'insufficient_funds'));
const { attempts } = buildCase({ attempts: lost(0) });

test.each<[string, Partial<PaymentCase>, number, string]>([
  ['at once', { attempts }, 0.5, 'email 0.5'],
  ['once more, where no failure is known', { attempts: [], instructions: emails(0) }, 1, 'email 3'],
  ['not before its third day', { attempts, instructions: emails(0) }, 2.9, 'wait 3'],
  ['on its third day', { attempts, instructions: emails(0) }, 3, 'email 3'],
  ['after its third day', { attempts, instructions: emails(0) }, 3.5, 'email 3.5'],
  ['days count from the first request', { attempts, instructions: emails(1, 4) }, 5, 'wait 8'],
  ['three days after a late one', { attempts, instructions: emails(0, 6) }, 7, 'wait 9'],
  ['an email that is still to come does not count', { attempts, instructions: emails(0, 9) }, 3, 'email 3'],
  ['a retry is no email', { attempts, instructions: [given(0, RETRY)] }, 1, 'email 1'],
  ['something refused since the last email', { attempts: lost(0, 4), instructions: emails(0) }, 4, 'email 4'],
  [
    'something refused at the moment of the email',
    { attempts: lost(0, 4), instructions: emails(0, 4) },
    4,
    'wait 7',
  ],
  [
    'something refused a day after the email',
    { attempts: lost(0, 1), instructions: emails(0) },
    1,
    'email 3',
  ],
  ['four emails', { attempts, instructions: emails(0, 3, 7, 14) }, 14, 'wait 30'],
  [
    'four emails, and refused since',
    { attempts: lost(0, 20), instructions: emails(0, 3, 7, 14) },
    20,
    'wait 30',
  ],
  ['four emails, and the window over', { attempts, instructions: emails(0, 3, 7, 14) }, 30, 'stop'],
  ['a week for the last email', { attempts, instructions: emails(15, 18, 22, 29) }, 30, 'wait 36'],
  ['a week for the last email is over', { attempts, instructions: emails(15, 18, 22, 29) }, 36, 'stop'],
  ['a week for each email', { attempts, instructions: emails(28) }, 30.5, 'wait 31'],
  ['three days after a late third one', { attempts, instructions: emails(0, 3, 12) }, 13, 'wait 15'],
  ['the last email comes before the end', { attempts, instructions: emails(22, 25, 28) }, 30, 'wait 35'],
  ['the last email comes no later', { attempts, instructions: emails(22, 25, 28) }, 35, 'email 35'],
  ['the last email comes at the end', { attempts, instructions: emails(22, 25, 29) }, 36, 'email 36'],
  [
    'a last email that was due at the end',
    { attempts, instructions: emails(22, 25, 29) },
    36.1,
    'email 36.1',
  ],
  ['a last email that was due long before it', { attempts, instructions: emails(0, 3, 7) }, 30, 'stop'],
  [
    'another email than the last is let go',
    { attempts, instructions: emails(10, 24), limits: { reminderDays: [0, 3, 25, 28] } },
    25,
    'wait 31',
  ],
  [
    'nor does it come at the end',
    { attempts, instructions: emails(10, 24), limits: { reminderDays: [0, 3, 25, 28] } },
    31,
    'stop',
  ],
  [
    'another one is still in time',
    { attempts, instructions: emails(10, 24), limits: { reminderDays: [0, 3, 20, 28] } },
    25,
    'wait 30',
  ],
  [
    'the merchant’s own days',
    { attempts, instructions: emails(0), limits: { reminderDays: [0, 5] } },
    1,
    'wait 5',
  ],
  [
    'the merchant’s own window',
    { attempts, instructions: emails(0, 3, 7, 14), limits: { windowDays: 25 } },
    14,
    'wait 25',
  ],
  ['short of funds: once', { attempts: short(0), instructions: emails(0) }, 3, 'wait 7'],
  ['short of funds: as the last', { attempts: short(0), instructions: emails(0) }, 7, 'email 7'],
  ['short of funds: no third time', { attempts: short(0), instructions: emails(0, 7) }, 20, 'wait 30'],
  ['short of funds again', { attempts: short(0, 4), instructions: emails(0) }, 4, 'wait 7'],
  ['short of funds after two emails', { attempts: short(0, 20), instructions: emails(0, 7) }, 20, 'email 20'],
  ['short of funds at the end', { attempts: short(0), instructions: emails(29) }, 30, 'wait 36'],
  [
    'short of funds, where one email is wanted',
    { attempts: short(0), instructions: emails(0), limits: { reminderDays: [0] } },
    3,
    'wait 30',
  ],
])('a customer is asked: %s', (_name, changes, day, expected) => {
  expect(plan(askCustomer(buildCase(changes), at(day), ASKING))).toBe(expected);
});

test('an email says what it asks for, and is worth what emails bring', () => {
  const email = suggestEmail(buildCase({ amount: 1999 }), FIRST, ASKING);
  expect(email).toEqual({ ...ASKING, at: FIRST });
});

test.each([
  ['2026-03-02T10:00:00.000Z', '2026-03-02T10:00:00.000Z'],
  ['2026-03-02T10:00:00.001Z', '2026-03-02T10:00:01.000Z'],
])('an email asked for at %s is due at %s: whole seconds, and never before', (asked, due) => {
  const now = FIRST.set({ millisecond: Number(asked.slice(20, 23)) });
  const email = suggestEmail(buildCase(), now, ASKING);
  expect('at' in email && email.at.toISO()).toBe(due);
});

test('emails keep three days from each other', () => {
  const due = (...days: number[]) =>
    plan(suggestEmail(buildCase({ instructions: emails(...days) }), at(5), ASKING));
  expect([due(), due(1), due(2), due(4), due(4, 3), due(4, 9)]).toEqual([
    ...['email 5', 'email 5', 'email 5', 'email 7', 'email 7', 'email 7'],
  ]);
});

test('whoever was asked is waited for, and the reasons say until when and what for', () => {
  const instructions = emails(0);
  const asked = (day: number, given = instructions) => {
    const decision = askCustomer(buildCase({ attempts, instructions: given }), at(day), ASKING);
    return { reason: decision.reason, reasons: decision.reasons };
  };
  const waiting = 'waiting_for_the_customer';
  expect(asked(1)).toEqual({ reason: waiting, reasons: [{ code: 'customer_asked', againOn: '2026-03-05' }] });
  expect(asked(14, emails(0, 3, 7, 14))).toEqual({ reason: waiting, reasons: [{ code: 'customer_asked' }] });
  expect(asked(31)).toEqual({
    reason: 'the_customer_did_not_act',
    reasons: [{ code: 'customer_did_not_act' }],
  });
  expect(askCustomer(buildCase({ attempts, instructions }), at(31), ASKING)).toMatchObject({ stop: true });
});

test('when no attempt is left, the reasons say why, and that another card is the last chance', () => {
  const conclude = (day: number, ...days: number[]) =>
    concludeWithCardChange(buildCase({ attempts, instructions: emails(...days) }), at(day), LAST);
  expect(conclude(0)).toMatchObject({
    suggestion: CARD,
    reason: USED_UP,
    reasons: [LAST, { code: 'card_change_is_last_chance' }],
  });
  expect(conclude(1, 0)).toMatchObject({
    reason: USED_UP,
    waitUntil: at(3),
    reasons: [LAST, { code: 'card_change_asked', againOn: '2026-03-05' }],
  });
  expect(conclude(31, 0, 3, 7, 14)).toEqual({
    stop: true,
    reason: USED_UP,
    reasons: [LAST, { code: 'card_change_asked' }],
  });
});

test('a request is final until something is refused after it', () => {
  const isFinal = (attemptDay: number | undefined, reason = USED_UP) =>
    hasFinalRequest(
      buildCase({
        attempts: attemptDay === undefined ? [] : lost(0, attemptDay),
        instructions: [given(3, CARD, reason)],
      }),
    );
  expect([isFinal(2), isFinal(3), isFinal(4), isFinal(2, 'hard_decline'), isFinal(undefined)]).toEqual([
    ...[true, true, false, false, false],
  ]);
});

test('emails are what was asked of the customer by now', () => {
  const instructions = [
    given(0, CARD),
    given(1, RETRY),
    given(2, 'ACTION_SUGGESTION_CARD_CONFIRMATION'),
    given(3, CARD),
  ];
  const known = givenEmails(buildCase({ instructions }), at(2));
  expect(known).toEqual([instructions[0], instructions[2]]);
});
