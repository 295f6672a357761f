/** Why an invoice needs a person, in words, with the one thing that helps: one table of which page, API and command are made. */
import type { DateTime } from 'luxon';
import { MIN_DAYS_BETWEEN_MAILS } from '../../../core/limits/reminder-days.ts';
import type { Failure } from '../../store/reports/money/list-failures.ts';
import type { Need } from '../../store/reports/money/needs.ts';

/** `refused`: no invoice but a record that the service does not take. */
export type NeedCode = Need | 'refused';

/** What helps. */
export type NeedAction =
  /** One of our operations, by its name in the console, and as a command. */
  | {
      readonly operation: 'release' | 'sendMailAgain' | 'replay';
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

/** In the order in which they are shown. */
export const NEED_ROWS: Readonly<Record<NeedCode, NeedRow>> = {
  undecided: {
    words: 'Payment to be confirmed by you',
    advice: 'A new card would pay more, or an older invoice, than it may without you (CARD_CHANGE_…).',
    action: release('Confirm', 'Make the payment'),
  },
  disputed: {
    words: 'Disputed by the customer',
    advice: 'Answer the dispute in Stripe. Release the invoice once you know that it is owed.',
    action: { inStripe: 'invoices', title: 'Answer in Stripe' },
  },
  blocked: {
    words: 'Blocked by fraud rules',
    advice:
      'Radar or a block list of yours refused the payment. If you trust the customer, allow them there and release the invoice.',
    action: { inStripe: 'invoices', title: 'Review in Stripe' },
  },
  merchant: {
    words: 'Only you can fix it',
    advice:
      'The payment failed for a reason that neither time nor the customer changes. The reason is beside it.',
    action: { inStripe: 'invoices', title: 'Fix in Stripe' },
  },
  no_address: {
    words: 'No e-mail address',
    advice: 'A mail would be right, and the customer has no address. Add one in Stripe, then send the mail.',
    action: { inStripe: 'customers', title: 'Add an address in Stripe' },
  },
  undeliverable: {
    words: 'Mail that did not go out',
    advice: 'Its history says what stood in the way. Fix that, then send the mail again.',
    action: {
      operation: 'sendMailAgain',
      title: 'Send again',
      button: 'Send the mail again',
      command: 'invoices email in_…',
    },
  },
  unanswered: {
    words: 'Asked without an answer',
    advice:
      'The emails that may go out have gone out, and it is still unpaid. Call, ask once more, or write it off in Stripe.',
    action: {
      operation: 'sendMailAgain',
      title: 'Ask once more',
      button: 'Send the mail once more',
      command: 'invoices email in_…',
    },
  },
  attempts_used: {
    words: 'Attempts used up',
    advice: 'No attempt with this card is left. Another card starts afresh: ask the customer for one.',
    action: {
      operation: 'sendMailAgain',
      title: 'Ask for another card',
      button: 'Send the mail',
      fields: { template: 'card_update' },
      command: 'invoices email in_… --template card_update',
    },
  },
  cancel_requested: {
    words: 'Subscription is to be canceled, or is paused',
    advice:
      'AFTER_CANCEL_REQUEST keeps its invoices from being charged. Release one to collect it all the same, or void it in Stripe.',
    action: release('Collect all the same', 'Let it be collected'),
  },
  given_up: {
    words: 'Given up',
    advice: 'Nothing more will be asked for it. Cancel, pause or write off in Stripe, or stop the invoice.',
    action: { inStripe: 'invoices', title: 'Decide in Stripe' },
  },
  handed_back: {
    words: 'Handed back, and not tried by Stripe',
    advice: 'Stripe collects it again, and has no next attempt planned. Charge it there, or write it off.',
    action: { inStripe: 'invoices', title: 'Decide in Stripe' },
  },
  refused: {
    words: 'Records that the service refused',
    advice:
      'Without them the service plans with an older state. Fix what its answer names, then deliver again.',
    action: {
      operation: 'replay',
      title: 'Deliver again',
      button: 'Deliver it again',
      command: 'queue replay --refused',
    },
  },
};

/** What every reader says of a customer who was emailed too recently for one email more. */
export const WAIT_FOR_ANSWER = 'wait for an answer';

/** Until when an answer is awaited, where an email would help and one asked for the invoice within the days between two. */
export function findAwaitedUntil(
  { need, askedAt }: Pick<Failure, 'need' | 'askedAt'>,
  now: DateTime,
): DateTime | undefined {
  const action = need === null ? undefined : NEED_ROWS[need].action;
  const isEmail = action !== undefined && 'operation' in action && action.operation === 'sendMailAgain';
  const until = isEmail ? askedAt?.plus({ days: MIN_DAYS_BETWEEN_MAILS }) : undefined;
  return until && until > now ? until : undefined;
}

/** For people at a terminal. */
export function describeNeedAction(action: NeedAction): string {
  return 'command' in action
    ? `\`${action.command}\``
    : `${action.title.replace(/ in Stripe$/, '')}: in Stripe`;
}
