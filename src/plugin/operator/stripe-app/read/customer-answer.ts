/** Of one customer: what is unpaid, which mails went out, and which of the cards can still be charged. */

import { capitalize } from '../../../../core/base/sentence-case.ts';
import { classifyDecline } from '../../../../core/declines/decline-classes.ts';
import { describeAction } from '../../../actions/action-kinds.ts';
import {
  type CustomerCard,
  type CustomerMail,
  listCustomerCards,
  listCustomerMails,
} from '../../../store/reports/card-health.ts';
import type { FailureFilter } from '../../../store/reports/money/list-failures.ts';
import { describeMail } from '../../text/describe-state.ts';
import type { AnswerDeps, AppQuery } from '../define-request.ts';
import { listShown, showNeed, showStanding } from './shown-failure.ts';

const MOST_CASES = 10;

/** The networks count so long (stripe-facts 5.5). */
const CARD_DAYS = 30;

export async function answerCustomer(
  deps: AnswerDeps,
  asked: AppQuery,
  { id }: { id: string },
): Promise<object> {
  const { account } = asked;
  const { database, clock } = deps;
  const since = clock.now().minus({ days: CARD_DAYS });
  return {
    id,
    cases: await listCases(deps, asked, { account, customer: id }),
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
  const health = isDeclined ? classifyDecline(card).class : outcome === 'paid' ? 'good' : 'unknown';
  return { brand, last4, lastAt, attempts, health, reason: isDeclined ? (declineCode ?? code) : null };
}

export async function answerSubscription(
  deps: AnswerDeps,
  asked: AppQuery,
  { id }: { id: string },
): Promise<object> {
  return { id, cases: await listCases(deps, asked, { account: asked.account, subscription: id }) };
}

/** A customer's, or a subscription's, failed invoices. */
async function listCases(
  { database, clock }: AnswerDeps,
  { reader }: AppQuery,
  filter: FailureFilter,
): Promise<object[]> {
  const failures = await listShown(database, filter, MOST_CASES);
  return failures.map((failure) => {
    const { invoiceId, amount, currency, failedAt, attempts, nextKind, nextAt, need } = failure;
    const next = nextKind && capitalize(describeAction(nextKind));
    const standing = showStanding(failure, reader, clock);
    const why = need && showNeed(need).words;
    return { invoiceId, amount, currency, failedAt, attempts, next, nextAt, standing, why };
  });
}
