/** Of one customer: what is unpaid, which mails went out, and which of the cards can still be charged. */
import { attemptCodes } from '../../declines/attempt-codes.ts';
import { classifyDecline } from '../../declines/decline-classes.ts';
import { type CustomerCard, listCustomerCards, listCustomerMails } from '../../store/reports/card-health.ts';
import type { AnswerDeps, Asked } from '../define-request.ts';
import { listCases } from './open-cases.ts';

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
    mails: await listCustomerMails(database, account, id),
    cards: (await listCustomerCards(database, { account, customerId: id, since })).map(toHealth),
    cardDays: CARD_DAYS,
  };
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
