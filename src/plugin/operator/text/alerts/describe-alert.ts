/** The text of an alert. docs/how-to/alerts.md has a heading for each, which says what to look at and what to do. */
import type { Concern } from '../../../store/reports/work-status.ts';

/** Titles by the status's codes; each is a sentence of its own. */
export const ALERT_TITLES: Readonly<Record<Concern, string>> = {
  pausedEffects: 'Payments, emails and changes at Stripe are paused',
  undecided: "Payments wait for a person's decision",
  stalledQueues: 'Queues are stalled',
  clocks: 'A clock is wrong',
  undeliveredEvents: 'Events or alerts could not be delivered for days',
  accessRefused: 'Stripe refuses the key',
  cursors: 'Events or instructions are not being read',
  missedWebhooks: "Stripe's webhooks do not arrive",
  pauses: 'Nothing can be delivered to the retry service',
  completeness: 'A backfill or reconciliation does not progress',
  verifications: 'What is stored differs from Stripe',
  quarantined: 'The retry service refuses records',
  answeredOddly: 'The retry service answers oddly and confirms nothing',
  unmapped: 'Records from Stripe could not be mapped',
  deadEvents: 'Events could not be processed',
  failedInstructions: 'Instructions could not be planned',
  unknownInvoices: 'Many instructions name unknown invoices',
  openEndings: 'Invoices were given up and not decided',
  undeliverableEmails: 'Emails could not go out',
  delayedEmails: 'The mail server takes no emails',
  overdueActions: 'Actions are overdue',
};

const PAGE = 'https://github.com/stripe-payment-retry/stripe-payment-retry/blob/main/docs/how-to/alerts.md';

/** The heading's anchor is the code in lower case. */
export function runbookOf(concern: string): string {
  return `${PAGE}#${concern.toLowerCase()}`;
}

export function describeAlert(alert: {
  readonly concern: string;
  readonly isOver: boolean;
  /** ISO 8601. */
  readonly since: string;
  readonly consoleUrl: string;
}): { title: string; text: string } {
  const { concern, isOver, since, consoleUrl } = alert;
  const about = new Map<string, string>(Object.entries(ALERT_TITLES)).get(concern) ?? concern;
  const title = `${isOver ? 'Resolved' : 'Attention'}: ${about}`;
  const rest = isOver ? `It began at ${since}.` : `Since ${since}. What to do: ${runbookOf(concern)}`;
  return { title, text: `${title}\n${rest}\n${consoleUrl}` };
}
