/** Of one customer: what is unpaid, which mails went out, and which of the cards can still be charged. */
import { describeAction } from '../../contract/action-kinds.ts';
import { attemptCodes } from '../../declines/attempt-codes.ts';
import { classifyDecline } from '../../declines/decline-classes.ts';
import { capitalize } from '../../kit/sentence-case.ts';
import { describeMail } from '../../operator/text/describe-state.ts';
import {
  type CustomerCard,
  type CustomerMail,
  listCustomerCards,
  listCustomerMails,
} from '../../store/reports/card-health.ts';
import { type Failure, type FailureFilter, listFailures } from '../../store/reports/money/list-failures.ts';
import type { AnswerDeps, Asked } from '../define-request.ts';

const MOST_CASES = 10;

/** The networks count so long (stripe-facts 5.5). */
const CARD_DAYS = 30;

export async function answerCustomer(
  deps: AnswerDeps,
  { account }: Asked,
  { id }: { id: string },
): Promise<object> {
  const { database, clock } = deps;
  const since = clock.now().minus({ days: CARD_DAYS });
  return {
    id,
    cases: await listCases(deps, { account, customer: id }),
    mails: (await listCustomerMails(database, account, id)).map(toMail),
    cards: (await listCustomerCards(database, { account, customerId: id, since })).map(toHealth),
    cardDays: CARD_DAYS,
  };
}

function toMail({ invoiceId, template, state, createdAt }: CustomerMail): object {
  return { invoiceId, what: capitalize(describeMail(template)), state, createdAt };
}

function toHealth(card: CustomerCard): object {
  const { brand, last4, lastAt, attempts, outcome, declineCode, code } = card;
  const isDeclined = outcome === 'declined' || outcome === 'requires_action';
  const health = isDeclined
    ? classifyDecline(attemptCodes(card)).class
    : outcome === 'paid'
      ? 'good'
      : 'unknown';
  return { brand, last4, lastAt, attempts, health, reason: isDeclined ? (declineCode ?? code) : null };
}

export async function answerSubscription(
  deps: AnswerDeps,
  { account }: Asked,
  { id }: { id: string },
): Promise<object> {
  return { id, cases: await listCases(deps, { account, subscription: id }) };
}

/** A customer's, or a subscription's, failed invoices. */
async function listCases({ database }: AnswerDeps, filter: FailureFilter): Promise<object[]> {
  const failures = await listFailures(database, filter, { sort: 'failed', limit: MOST_CASES });
  return failures.map(toCase);
}

function toCase(failure: Failure): object {
  const { invoiceId, state, amount, currency, failedAt, endedAt, attempts, nextKind, nextAt, reason } =
    failure;
  const next = nextKind && capitalize(describeAction(nextKind));
  return { invoiceId, state, amount, currency, failedAt, endedAt, attempts, next, nextAt, reason };
}
