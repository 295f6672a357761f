/** What needs attention, or did not happen: one part of the status for each matter. */

import { describeAction } from '../../../actions/action-kinds.ts';
import type { Reason } from '../../../reasons/reason.ts';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import type { RefusalCause } from '../../../store/tables/sync/webhook-refusals.ts';
import { money } from '../describe-code.ts';
import { describeReason } from '../describe-reason.ts';
import { exactMoment } from '../exact-moment.ts';
import type { StatusRows } from './status-part.ts';

const REFUSALS: Readonly<Record<RefusalCause, string>> = {
  unsigned: 'without a signature of Stripe (anybody can send such)',
  secret:
    "signed with another secret: compare STRIPE_WEBHOOK_SECRET with the endpoint's page in the Stripe Dashboard",
  time: "signed rightly, but more than five minutes from this machine's clock: set the clock",
  body: 'signed rightly, but not an event',
};

export const TROUBLES: StatusRows = {
  stalledQueues: {
    title: 'Stalled queues',
    advice: 'is a process running? Fix what each job fails with, or start it again',
    each: ({ name, waiting, dueSince, error }) =>
      `${name}: ${waiting} waiting, due since ${exactMoment(dueSince)}${error === null ? '' : `: ${firstLine(error)}`}`,
  },
  clocks: {
    title: 'A clock is wrong',
    advice: "synchronize it (NTP); all work goes by the database's clock",
    each: ({ process, aheadOfDatabase, aheadOfStripe }) => [
      ...differs(aheadOfDatabase, `machine of process ${process}`, 'the database'),
      ...differs(aheadOfStripe, `database, as process ${process} sees it`, 'Stripe'),
    ],
  },
  missedWebhooks: {
    title: "Stripe's webhooks do not arrive; its list of events is read instead, every five minutes",
    advice: '`doctor` says what is wrong with the endpoint; is PUBLIC_URL reached from outside?',
    each: ({ account, events, since, lastAt }) =>
      `${events} event(s)${of(account)} from ${exactMoment(since)} to ${exactMoment(lastAt)}`,
  },
  refusedWebhooks: {
    title: 'Refused webhooks, last 7 days',
    each: ({ cause, count, lastAt }) => `${count} ${REFUSALS[cause]}, the latest at ${exactMoment(lastAt)}`,
  },
  undeliveredEvents: {
    title: 'Events that could not be delivered for days',
    advice: 'see EVENTS_URL, or the handlers of createPlugin; they are deleted after a month',
    each: ({ channel, dead, problem }) =>
      `${channel}: ${dead}, the latest: ${problem ?? 'no cause is recorded'}`,
  },
  // What `queue replay` processes once more.
  quarantined: {
    title: 'In quarantine: the service refused them',
    advice: 'fix the cause, then run: queue replay --refused; or set one aside: `queue dismiss ID`',
    each: ({ account, kind, id, answer }) => `${kind} ${id}${of(account)}: ${firstLine(answer)}`,
    idOf: ({ id }) => id,
  },
  answeredOddly: {
    title: 'Answered oddly: the service confirms nothing',
    advice:
      'does RETRY_SERVICE_URL lead to the service, or to a login page? They are sent again by themselves',
    each: ({ account, kind, records, answer }) =>
      `${records} of ${kind}${of(account)}, the latest answer: ${firstLine(answer)}`,
  },
  unmapped: {
    title: 'Not forwarded: they could not be mapped',
    advice: 'fix the cause in Stripe or update the plugin, then run: queue replay --unmapped',
    each: ({ account, kind, id, reason }) =>
      `${kind} ${id}${of(account)}: ${firstLine(describeReason(reason))}`,
  },
  deadEvents: {
    title: 'Dead events: processing failed for good',
    advice: 'fix the cause, then run: queue replay --events',
    each: ({ account, id, type, error, reason }) =>
      `${id} ${type}${of(account)}: ${firstLine(reason ?? error)}`,
  },
  failedInstructions: {
    title: 'Instructions that could not be planned',
    advice: 'fix the cause, then run: queue replay --instructions',
    each: ({ account, requestId, invoiceId, reason }) =>
      `${requestId} for ${invoiceId ?? 'no invoice'}${of(account)}: ${firstLine(reason)}`,
  },
  unknownInvoices: {
    title: 'Instructions for unknown invoices, within an hour',
    advice: "ask the service's provider; does anybody else have its token?",
    each: ({ account, refused, waiting }) =>
      `${refused} refused${of(account)}, ${waiting} waiting to be planned`,
  },
  openEndings: {
    title: 'Given up and not decided',
    advice:
      'cancel, pause or write off in Stripe, or `invoices stop` it; AFTER_GIVING_UP can do it from now on',
    each: ({ account, invoiceId, subscriptionId, amountRemaining, currency, ...ending }) => {
      const { givenUpAt, reason, obstacle } = ending;
      const which = `${invoiceId}${subscriptionId === null ? '' : ` for ${subscriptionId}`}${of(account)}`;
      const why = reason ? `, ${describeReason(reason)}` : '';
      const more = obstacle === null ? '' : `; ${firstLine(obstacle)}`;
      return `${which}, ${money(amountRemaining, currency)}: since ${exactMoment(givenUpAt)}${why}${more}`;
    },
  },
  undeliverableEmails: {
    title: 'Emails that could not go out',
    advice: 'fix the cause; the next instruction for the invoice can send the email again',
    each: ({ action, invoiceId, reason, at }) =>
      `${describeAction(action)} for ${invoiceId} at ${exactMoment(at)}: ${firstLine(reason)}`,
  },
  delayedEmails: {
    title: 'Emails that wait for the mail server',
    advice: 'retried every 15 minutes for three days; check SMTP_URL',
    each: ({ account, action, invoiceId, since, reason }) =>
      `${describeAction(action)} for ${invoiceId}${of(account)} since ${exactMoment(since)}: ${firstLine(reason)}`,
  },
  // What did not happen by now: observed, late, or refused by Stripe.
  observed: {
    title:
      'Observed only (RETRY_MODE is or was observe, or RECOVER leaves them out): what would have happened',
    each: ({ kind, count, invoices, firstAt, lastAt }) =>
      `${OBSERVED.get(kind) ?? kind}: ${count}, for ${invoices} invoice(s), ${exactMoment(firstAt)} to ${exactMoment(lastAt)}`,
  },
  overdueActions: {
    title: 'Overdue actions',
    advice: 'is a process running?',
    each: ({ account, kind, invoiceId, dueAt, state }) =>
      `${describeAction(kind)} of ${invoiceId}${of(account)}: due ${exactMoment(dueAt)}, ${state}`,
  },
  withoutSignal: {
    title: 'RETRY_SIGNAL has no effect',
    advice: 'ask Stripe for access to Smart Retries Signal, or set it to off; it is asked again once a day',
    each: ({ account, reason, lookedAt }) =>
      `account ${account}, ${exactMoment(lookedAt)}: ${firstLine(reason)}`,
  },
  accessRefused: {
    title: 'Waiting until Stripe accepts the key',
    advice:
      'grant the key its permissions, or replace STRIPE_SECRET_KEY; the work then continues automatically',
    each: ({ account, what, count, reason }) =>
      `account ${account}: ${count} ${what}(s), ${firstLine(reason)}`,
  },
};

const OBSERVED: ReadonlyMap<string, string> = new Map([
  ['pay', 'payments attempted'],
  ['email', 'emails sent'],
  ['ending', 'invoices ended as AFTER_GIVING_UP says'],
]);

function differs(seconds: number | null, whose: string, from: string): string[] {
  if (seconds === null) return [];
  return [`${whose}: ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} ${from}`];
}

/** Named only where it is not our own. */
function of(account: string): string {
  return account === OWN_ACCOUNT ? '' : ` of ${account}`;
}

export function firstLine(value: string | Reason | null): string {
  const text = typeof value === 'string' ? value : value && describeReason(value);
  return text?.split('\n')[0]?.slice(0, 300) ?? 'no reason is recorded';
}
