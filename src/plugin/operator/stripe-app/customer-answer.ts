/** One customer: unpaid invoices, when access ends, emails, and the cards that can still be charged. */
import { toIso } from '../../../core/base/clock.ts';
import { capitalize } from '../../../core/base/sentence-case.ts';
import { classifyDecline } from '../../../core/declines/decline-classes.ts';
import { describeAction } from '../../actions/action-kinds.ts';
import { listEmails } from '../../store/reports/listed-emails.ts';
import { type CustomerCard, listCustomerCards } from '../../store/reports/money/customer-record.ts';
import { describeAccess } from '../lists/access.ts';
import { describeCustomer } from '../lists/customer-standing.ts';
import { type CustomerState, readCustomerState } from '../lists/customer-state.ts';
import { warnOfControlGroup } from '../text/describe-experiment.ts';
import { describeEmail } from '../text/describe-state.ts';
import type { CustomerAnswer, ShownCard, UnpaidInvoice } from './answers.ts';
import type { AnswerDeps, AppQuery } from './define-request.ts';
import { formatDay, sayTo } from './reader.ts';

const MOST = 10;

/** The card networks count over this period (stripe-facts 5.5). */
const CARD_DAYS = 30;

export async function answerCustomer(
  { database, config, clock }: AnswerDeps,
  { account, reader }: AppQuery,
  { id }: { id: string },
): Promise<CustomerAnswer> {
  const key = { account, customerId: id };
  const state = await readCustomerState({ database, config, clock }, key);
  const since = clock.now().minus({ days: CARD_DAYS });
  return {
    isKnown: state !== undefined,
    standing: state ? describeCustomer(state, (iso) => formatDay(reader, iso)).line : null,
    access: state ? describeAccess(state.access, sayTo(reader).moment) : null,
    controlGroup: state?.controlGroup ? `${warnOfControlGroup(state.controlGroup.against)}.` : null,
    isPaused: state?.isPaused ?? false,
    invoices: (state?.invoices ?? []).slice(0, MOST).map(toUnpaid),
    emails: (await listEmails(database, { customer: { account, id } }, { limit: MOST })).map(
      ({ template, state: sent, createdAt }) => ({
        what: capitalize(describeEmail(template)),
        state: sent,
        createdAt: toIso(createdAt),
      }),
    ),
    cards: (await listCustomerCards(database, { ...key, since })).map(toCard),
    cardDays: CARD_DAYS,
  };
}

function toUnpaid(invoice: CustomerState['invoices'][number]): UnpaidInvoice {
  const { plan, amount, currency, failedAt, attempts, next } = invoice;
  const what =
    next?.kind === 'stripe_retry' ? 'Retry by Stripe' : next && capitalize(describeAction(next.kind));
  return {
    invoice: invoice.invoice,
    plan,
    amount,
    currency,
    failedAt,
    attempts,
    next: next && what ? { what, at: next.at } : null,
  };
}

function toCard(card: CustomerCard): ShownCard {
  const { brand, last4, lastAt, attempts, outcome, declineCode, code } = card;
  const isDeclined = outcome === 'declined' || outcome === 'requires_action';
  const health = isDeclined ? classifyDecline(card).class : outcome === 'paid' ? 'good' : 'unknown';
  const reason = isDeclined ? (declineCode ?? code) : null;
  return { brand, last4, lastAt: toIso(lastAt), attempts, health, reason };
}
