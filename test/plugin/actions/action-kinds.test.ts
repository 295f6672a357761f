/** A row is enough: what shows, plans or stops actions and mails needs no list of its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { DateTime } from 'luxon';
import {
  actionKind,
  EMAIL_TEMPLATES,
  findInstructed,
  INSTRUCTED,
  listKinds,
  mailKind,
} from '../../../src/plugin/actions/action-kinds.ts';
import type { Translation } from '../../../src/plugin/mails/mail-texts.ts';
import { describeAcknowledgment } from '../../../src/plugin/operator/text/describe-acknowledgment.ts';

const SRC = new URL('../../../src/', import.meta.url);
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(tsx?|sql)$/.test(path) && !path.startsWith('plugin/mails/translations/'))
  .map((path) => ({ path, text: readFileSync(new URL(path, SRC), 'utf8') }));
const page = readFileSync(new URL('../../../docs/how-to/operations.md', import.meta.url), 'utf8');

/** What operators, the customer's page and guards of payments offer or ask about is this one. */
const OFFERED = 'card_update';

test.each(EMAIL_TEMPLATES.filter((template) => template !== OFFERED))(
  'six files of src name the mail %s at most, beside its translations',
  (template) => {
    const name = new RegExp(`(?<![\\w$.])${template}(_email)?\\b['\`:]`);
    const naming = files.filter(({ text }) => name.test(text)).map(({ path }) => path);
    expect(naming).toContain('plugin/actions/action-kinds.ts');
    expect(naming.length).toBeLessThanOrEqual(6);
  },
);

test.each(EMAIL_TEMPLATES)('whoever writes own words finds the name of the mail %s', (template) => {
  expect(page).toContain(`\`${template}\``);
});

test('a translation that lacks a mail does not compile', () => {
  // @ts-expect-error All others are missing.
  const texts: Readonly<Record<keyof Translation['mails'], string>> = { card_update: 'a text' };
  expect(EMAIL_TEMPLATES).toEqual(expect.arrayContaining(Object.keys(texts)));
});

test('each suggestion is found again as the action that it leads to, with an answer of its own', () => {
  const dueAt = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
  const answers = INSTRUCTED.map((action) =>
    describeAcknowledgment({
      kind: 'planned',
      plan: { kind: 'action', action, dueAt, foreseen: undefined },
      isObserved: false,
    }),
  );
  expect(answers).toEqual(
    ['Retry scheduled', 'Card update mail scheduled', 'Confirmation mail scheduled'].map(
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
  expect(listKinds('follows')).toEqual(['keep_card', 'subscription_ended_email', 'backup_charged_email']);
});

test('a kind that this version does not know goes by its name', () => {
  expect([actionKind('win_back_email').words, mailKind('win_back'), mailKind('toString')]).toEqual([
    ...['win back email', undefined, undefined],
  ]);
});
