/** Why an invoice needs a person, in words, with the one thing that helps: one table of which page, API and command are made. */
import type { DateTime } from 'luxon';
import { MIN_DAYS_BETWEEN_EMAILS } from '../../../core/limits/reminder-days.ts';
import type { Failure } from '../../store/reports/money/list-failures.ts';
import type { Need } from '../../store/reports/money/needs.ts';

/** `refused`: no invoice but a record that the service does not take. */
export type NeedCode = Need | 'refused';

/** What helps. */
export type NeedAction =
  /** One of our operations, by its name in the console, and as a command. */
  | {
      readonly operation: 'release' | 'sendEmailAgain' | 'replay';
      readonly fields?: Readonly<Record<string, string>>;
      readonly title: string;
      readonly button: string;
      readonly command: string;
    }
  /** Nothing of ours: the merchant does it in Stripe. */
  | { readonly inStripe: 'invoices' | 'customers'; readonly title: string };

export interface NeedRow {
  readonly words: string;
  readonly advice: string;
  readonly action: NeedAction;
}

const release = (title: string, button: string): NeedAction => ({
  operation: 'release',
  title,
  button,
  command: 'invoices release in_…',
});

const email = (title: string, template?: string) => ({
  operation: 'sendEmailAgain' as const,
  title,
  button: template ? 'Send the email' : 'Send the email again',
  ...(template && { fields: { template } }),
  command: `invoices email in_…${template ? ` --template ${template}` : ''}`,
});

/** Needs in the order in which they are shown. */
export const NEED_ROWS: Readonly<Record<NeedCode, NeedRow>> = {
  undecided: {
    words: 'Approve this payment',
    advice: 'The new card would pay more, or an older invoice, than CARD_CHANGE_… allows without approval.',
    action: release('Approve', 'Approve the payment'),
  },
  disputed: {
    words: 'Disputed',
    advice: 'Respond to the dispute in Stripe. Resume collection once the amount is known to be owed.',
    action: { inStripe: 'invoices', title: 'Respond in Stripe' },
  },
  blocked: {
    words: 'Blocked by Stripe Radar',
    advice:
      'Radar or a block list refused the payment. If you trust the customer, allow them there, then resume collection.',
    action: { inStripe: 'invoices', title: 'Review in Stripe' },
  },
  merchant: {
    words: 'Account problem',
    advice: 'Neither time nor the customer changes this reason. Fix it in your Stripe account.',
    action: { inStripe: 'invoices', title: 'Fix in Stripe' },
  },
  no_address: {
    words: 'No email address',
    advice:
      'We can’t email this customer: no address on file. Add one in Stripe, or send a card link yourself.',
    action: { inStripe: 'customers', title: 'Add address in Stripe' },
  },
  undeliverable: {
    words: 'Email could not be delivered',
    advice: 'The invoice’s timeline has the reason. Fix it, then send the email again.',
    action: email('Send again'),
  },
  unanswered: {
    words: 'No response',
    advice:
      'Every email has gone out and the invoice is still unpaid. Call, ask again, or write it off in Stripe.',
    action: email('Ask again'),
  },
  attempts_used: {
    words: 'All attempts used',
    advice: 'This card has no attempts left. Ask the customer for a new one.',
    action: email('Ask for new card', 'card_update'),
  },
  cancel_requested: {
    words: 'Cancellation requested',
    advice:
      'The subscription ends or is paused, so its invoices are not charged (AFTER_CANCEL_REQUEST). Collect anyway, or void the invoice in Stripe.',
    action: release('Collect anyway', 'Resume collection'),
  },
  given_up: {
    words: 'Recovery ended',
    advice:
      'No more charges or emails will follow. Cancel, pause or write off in Stripe, or stop collection.',
    action: { inStripe: 'invoices', title: 'Decide in Stripe' },
  },
  handed_back: {
    words: 'No Stripe retry planned',
    advice: 'Stripe collects this invoice and has no retry planned. Charge it there, or write it off.',
    action: { inStripe: 'invoices', title: 'Decide in Stripe' },
  },
  refused: {
    words: 'Records refused by the service',
    advice:
      'The service plans with an older state until they arrive. Fix what its answer names, then deliver again.',
    action: {
      operation: 'replay',
      title: 'Deliver again',
      button: 'Deliver again',
      command: 'queue replay --refused',
    },
  },
};

/** What every reader says of a customer who was emailed too recently for one email more. */
export const WAIT_FOR_ANSWER = 'wait for an answer';

/** The time until which an answer is awaited, where an email would help and one asked for the invoice within the usual interval. */
export function findAwaitedUntil(
  { need, askedAt }: Pick<Failure, 'need' | 'askedAt'>,
  now: DateTime,
): DateTime | undefined {
  const action = need === null ? undefined : NEED_ROWS[need].action;
  const isEmail = action !== undefined && 'operation' in action && action.operation === 'sendEmailAgain';
  const until = isEmail ? askedAt?.plus({ days: MIN_DAYS_BETWEEN_EMAILS }) : undefined;
  return until && until > now ? until : undefined;
}

/** Words for people at a terminal. */
export function describeNeedAction(action: NeedAction): string {
  return 'command' in action
    ? `\`${action.command}\``
    : `${action.title.replace(/ in Stripe$/, '')}: in Stripe`;
}
