/** The sentence of every reason. */
import { DateTime } from 'luxon';
import type { Reason, ReasonCode } from '../../store/reasons/reason.ts';
import { actionInWords } from './actions-in-words.ts';
import { exactMoment } from './exact-moment.ts';

/** How what a reason names is written. */
export interface Wording {
  /** `invoice in_1`, for those who can look it up. */
  readonly name: (what: string, id: string) => string;
  readonly moment: (at: DateTime) => string;
}

const EXACT: Wording = {
  name: (what, id) => `${what} ${id}`,
  moment: (at) => exactMoment(at.toJSDate()),
};

type Texts = {
  readonly [Code in ReasonCode]: (reason: Extract<Reason, { code: Code }>, wording: Wording) => string;
};

const TEXTS: Texts = {
  legacy_text: ({ text }) => text,
  failed: ({ error }) => error,

  account_not_configured: ({ account }) =>
    `account ${account} is not configured; add it, or "*", to CONNECTED_ACCOUNTS`,
  access_revoked: ({ account }) =>
    `access to account ${account} was revoked; it goes on when the account is connected again`,

  planned: ({ action, dueAt }, { moment }) => `${actionInWords(action)} planned at ${moment(instant(dueAt))}`,
  message_not_understood: () => 'the type of message is not understood',
  suggestion_not_understood: ({ suggestion }) => `the suggestion ${suggestion} is not understood`,
  no_suggestion: () => 'the service made no suggestion',
  beyond_horizon: ({ idealRetryAt, days }, { moment }) =>
    `its time ${moment(instant(idealRetryAt))} is more than ${days} days away (RETRY_HORIZON_DAYS)`,
  newer_instruction: () => 'a newer instruction for the same invoice replaced it',
  actions_stopped: ({ count }) => `stopped ${count} scheduled action(s)`,
  invoice_settled: ({ invoiceId, status }, { name }) => `${name('invoice', invoiceId)} is ${status} already`,
  invoice_unknown: ({ invoiceId }, { name }) => `Stripe has no ${name('invoice', invoiceId)}`,
  stopped_by_person: ({ note }) => `a person stopped it${note === undefined ? '' : `: ${note}`}`,

  dunning_completed: () => 'the service asks for no more (complete_dunning)',
  service_gave_up: ({ why }) => `the service asks for no more: ${why.replaceAll('_', ' ')}`,
  only_merchant_can_mend: ({ why }) => `only you can mend it: ${why.replaceAll('_', ' ')}`,
  attempts_used: ({ limit }) => `no attempt is left, and the service asks for nothing: ${limit}`,
  subscription_canceled_after: ({ subscriptionId }, { name }) =>
    `${name('subscription', subscriptionId)} was canceled`,
  collection_paused_after: ({ subscriptionId }, { name }) =>
    `collection of ${name('subscription', subscriptionId)} was paused`,
  written_off_after: () => 'the invoice was marked uncollectible',
};

export function describeReason(reason: Reason, wording: Wording = EXACT): string {
  // Each text takes its own code's parameters, which the compiler cannot see through the table.
  const text = TEXTS[reason.code] as (reason: Reason, wording: Wording) => string;
  return text(reason, wording);
}

function instant(iso: string): DateTime {
  return DateTime.fromISO(iso, { zone: 'utc' });
}
