/** Whether an invoice may be charged now: reads all facts for the guards and writes nothing. */
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import type { ActionCause } from '../../actions/action-cause.ts';
import { ownerIdsOf } from '../../clients/customer-reference.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { listAttemptsOfInvoice, type StoredAttempt } from '../../store/tables/retry/attempts.ts';
import { sumCardChangePayments } from '../../store/tables/retry/card-changes.ts';
import { wasNamedInEmail } from '../../store/tables/retry/emails.ts';
import { findWatched } from '../../store/tables/retry/signals.ts';
import type { Objection } from '../actions/objection.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { isCardChange } from '../guards/card-history.ts';
import { createFacts, type Facts, findMethod } from '../guards/facts.ts';
import { countUsed, judge } from '../guards/guards.ts';
import type { CardTries } from '../invoice/card-tries.ts';
import { findLotOf, findObservation, type LeftOutBy } from '../invoice/observation.ts';
import {
  methodFacts,
  type PayableInvoice,
  type PaymentMethodFacts,
  readPayableInvoice,
} from '../invoice/payable-invoice.ts';
import { nextLookAt } from './settle-attempt.ts';

export interface Judgment {
  readonly invoice: PayableInvoice;
  /** The method to be charged. */
  readonly method: PaymentMethodFacts | undefined;
  readonly card: CardTries;
  /** Attempts used with this method, and their limit. */
  readonly used: { readonly attempts: number; readonly of: number };
  /** Undefined if no guard objects. */
  readonly objection: Objection | undefined;
  /** The setting that reduces the payment to an observation. */
  readonly observed: LeftOutBy | undefined;
}

interface Question {
  readonly found: Stripe.Invoice;
  readonly recorded: readonly StoredAttempt[];
  /** The action's own attempt without an outcome. */
  readonly open: StoredAttempt | undefined;
}

const NOTHING_PAID = { total: 0, largest: 0 };

export async function judgePayment(
  deps: RetryDeps,
  action: StoredAction,
  { found, recorded, open }: Question,
): Promise<Judgment> {
  const { account } = action;
  const invoice = readPayableInvoice(found);
  const facts = createFacts(deps, account, invoice, recorded);
  const chosen = await chooseMethod(deps, action, { invoice, facts });
  // An attempt in doubt is settled by a read of its own.
  const isInDoubt = recorded.some(({ outcome }) => outcome === null);
  const { method, card, attempts } = await facts.card(chosen, {
    open,
    unreported: isInDoubt ? undefined : { deps, found },
  });
  const collection = await facts.collection(deps.config);
  const { now } = collection;
  const { attemptLimits: limits, ceilings } = deps.config;
  const payer = { account, customerId: invoice.customerId, currency: invoice.currency };
  const paidByNewCards = isCardChange(action)
    ? await sumCardChangePayments(deps.database, payer, now.minus({ days: 1 }))
    : NOTHING_PAID;
  const isNamedInEmail =
    isCardChange(action) &&
    (await wasNamedInEmail(deps.database, {
      account,
      invoiceId: action.invoiceId,
      before: action.createdAt,
    }));
  const { warning } = card;
  const isBound = deps.config.retrySignal === 'binding' && action.cause === 'instruction';
  const watched = isBound ? await findWatched(deps.database, action) : undefined;
  const context = {
    ...collection,
    action,
    method,
    warning,
    attempts,
    watched,
    limits,
    ceilings,
    paidByNewCards,
    isNamedInEmail,
  };
  const used = { attempts: countUsed(context), of: limits.perInvoice };
  const observed =
    findObservation(deps.config, account, invoice) ??
    (RETRIES.has(action.cause) ? await findLotOf(deps, account, invoice) : undefined);
  return { invoice, method, card, used, objection: judge(context), observed };
}

/** Causes that the control group goes without. New cards and a person's requests pay for everybody. */
const RETRIES: ReadonlySet<ActionCause> = new Set(['instruction', 'backup', 'charged_backup']);

/** Blocks other attempts while an earlier one has no outcome. */
export function waitForDoubt(recorded: readonly StoredAttempt[], now: DateTime): Objection | undefined {
  const open = recorded.find(({ outcome }) => outcome === null);
  if (open === undefined) return undefined;
  const until = nextLookAt(now, open.calls);
  return { guard: 'attempt_in_doubt', reason: { code: 'earlier_attempt_unsettled' }, until };
}

/** Objections to a payment if it were due now. */
export async function previewPayment(
  deps: RetryDeps,
  action: StoredAction,
): Promise<Pick<Judgment, 'objection' | 'observed'> & Partial<Judgment>> {
  const { account, invoiceId } = action;
  const found = await deps.stripe.findPayableInvoice(account, invoiceId);
  if (!found) {
    const reason = { code: 'invoice_unknown', invoiceId } as const;
    return { objection: { guard: 'invoice', reason }, observed: undefined };
  }
  const recorded = await listAttemptsOfInvoice(deps.database, account, invoiceId);
  const judgment = await judgePayment(deps, action, { found, recorded, open: undefined });
  const objection = judgment.objection ?? waitForDoubt(recorded, deps.clock.now());
  return { ...judgment, objection };
}

/** The action's own method, else the next one. */
async function chooseMethod(
  deps: RetryDeps,
  action: StoredAction,
  { invoice, facts }: { invoice: PayableInvoice; facts: Facts },
): Promise<PaymentMethodFacts | undefined> {
  const { account, paymentMethod: given, cause } = action;
  if (given === null) return facts.next();
  if (given === invoice.defaultMethod?.id) return invoice.defaultMethod;
  if (cause !== 'backup') return findMethod(deps.stripe, account, given);
  // A saved card need not be chosen, but must still be the customer's.
  const method = await deps.stripe.findPaymentMethod(account, given);
  return method && ownerIdsOf(method).includes(invoice.customerId) ? methodFacts(method) : undefined;
}
