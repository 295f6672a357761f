/** A row is enough: what shows, plans or stops actions and emails needs no list of its own. */
import { DateTime } from 'luxon';
import {
  actionKind,
  EMAIL_TEMPLATES,
  emailKind,
  findInstructed,
  INSTRUCTED,
  listKinds,
} from '../../../src/plugin/actions/action-kinds.ts';
import type { Translation } from '../../../src/plugin/mails/email-texts.ts';
import { describeAcknowledgment } from '../../../src/plugin/operator/text/describe-acknowledgment.ts';

test('a translation that lacks an email does not compile', () => {
  // @ts-expect-error All others are missing.
  const texts: Readonly<Record<keyof Translation['emails'], string>> = { card_update: 'a text' };
  expect(EMAIL_TEMPLATES).toEqual(expect.arrayContaining(Object.keys(texts)));
});

test('each suggestion is found again as the action that it leads to, with an answer of its own', () => {
  const dueAt = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
  const answers = INSTRUCTED.map((action) =>
    describeAcknowledgment({
      kind: 'planned',
      plan: { kind: 'action', action, dueAt, predicted: undefined },
    }),
  );
  expect(answers).toEqual(
    ['Retry scheduled', 'Card update email scheduled', 'Confirmation email scheduled'].map(
      (answer) => `${answer} for 2026-03-02T10:00:00.000Z`,
    ),
  );
  for (const kind of INSTRUCTED)
    expect(findInstructed(actionKind(kind).request?.suggestion ?? '')).toBe(kind);
  expect(findInstructed('ACTION_SUGGESTION_OF_TOMORROW')).toBeUndefined();
});

test('what collects ends with the payment, what follows stays', () => {
  expect(listKinds('collects')).toEqual([
    ...['pay', 'end_dunning', 'card_update_email', 'confirm_payment_email', 'failure_notice_email'],
  ]);
  expect(listKinds('follows')).toEqual([
    ...[
      'keep_card',
      'stripe_retries',
      'resume_subscription',
      'subscription_ended_email',
      'backup_charged_email',
    ],
  ]);
});

test('a kind that this version does not know goes by its name', () => {
  expect([actionKind('win_back_email').words, emailKind('win_back'), emailKind('toString')]).toEqual([
    ...['win back email', undefined, undefined],
  ]);
});
