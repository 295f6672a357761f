/** Stored facts about an instruction and its invoice for the planner, without Stripe. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { PredictedObjection } from '../../store/tables/retry/acknowledgment.ts';
import {
  listAttemptsOfInvoice,
  listAttemptsOnFingerprint,
  type StoredAttempt,
} from '../../store/tables/retry/attempts.ts';
import { findLatestNewCard, wasCardChangedSince } from '../../store/tables/retry/card-changes.ts';
import type { NewInstruction } from '../../store/tables/retry/instructions.ts';
import { findInvoice, type StoredInvoice } from '../../store/tables/sync/invoices.ts';
import { findAskedInstead, findObjection, type Guard, type Objection } from '../actions/objection.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { DISPUTED } from '../guards/collection-guards.ts';
import { type CardContext, judgeCard } from '../guards/guards.ts';
import { NEAR_STRIPE_HOURS, PAYER_DISPUTES, POSTPONED, STRIPE_RETRY_NEAR } from '../guards/shared-guards.ts';
import { listRelevantAttempts } from '../invoice/card-tries.ts';
import { findPersonsStop, type InvoiceHolds, readHolds } from '../invoice/invoice-holds.ts';
import type { PayableInvoice, PaymentMethodFacts } from '../invoice/payable-invoice.ts';
import type { PlanningFacts } from './plan-instruction.ts';

export type PlanningDeps = Pick<RetryDeps, 'serviceKnows' | 'config'>;

type PlannedInstruction = Pick<NewInstruction, 'account' | 'type'> & {
  readonly [Name in 'invoiceId' | 'suggestion']: string | null | undefined;
} & { readonly idealRetryAt: DateTime | null | undefined };

export async function readPlanningFacts(
  { config, serviceKnows }: PlanningDeps,
  db: Queryable,
  { account, type, invoiceId, suggestion, idealRetryAt }: PlannedInstruction,
  now: DateTime,
): Promise<PlanningFacts & { readonly invoice: StoredInvoice | undefined }> {
  const id = invoiceId ?? '';
  const invoice = await findInvoice(db, account, id);
  const holds = await readHolds(db, { account, invoiceId: id });
  const isPayment = suggestion === 'ACTION_SUGGESTION_RETRY' && invoice !== undefined;
  const tries = isPayment ? await readTries(db, account, id, now) : undefined;
  const action = { cause: 'instruction' as const, createdAt: now };
  const { attemptLimits: limits, timeZone: zone, emailWindow: window } = config;
  return {
    type,
    suggestion: suggestion ?? undefined,
    idealAt: idealRetryAt ?? now,
    now,
    zone,
    window,
    accountObjection: undefined,
    personsStop: findPersonsStop(holds),
    invoice,
    // If unknown, it is asked when the payment is due.
    asksInstead: serviceKnows(account, 'extended_records') === false,
    objectionAt: (at): PredictedObjection | undefined => {
      const context = { now: at, action, holds, limits, ...tries };
      const objection = invoice && predictObjection({ ...context, invoice: asJudged(invoice) });
      const asks = findAskedInstead(objection);
      return objection && { ...objection, ...(asks && { asks }) };
    },
  };
}

function asJudged(invoice: StoredInvoice): PredictionContext['invoice'] {
  const { id, amountRemaining, currency, subscriptionId, nextAttemptAt } = invoice;
  const subscription = subscriptionId === null ? undefined : { id: subscriptionId };
  return { id, amountRemaining, currency, subscription, nextStripeAttemptAt: nextAttemptAt ?? undefined };
}

const LIMIT_WINDOW_DAYS = 30;

/** The card last tried by Stripe or us, except one-time cards. Undefined after a card change, of which nothing is known. */
async function readTries(
  db: Queryable,
  account: string,
  invoiceId: string,
  now: DateTime,
): Promise<Pick<PredictionContext, 'method' | 'attempts'> | undefined> {
  const attempts = await listAttemptsOfInvoice(db, account, invoiceId);
  const last = attempts.findLast(({ isOtherMethod }) => !isOtherMethod);
  const given = await findLatestNewCard(db, account, invoiceId);
  if (!last?.paymentMethod || (given !== undefined && given !== last.paymentMethod)) return undefined;
  if (await wasCardChangedSince(db, account, invoiceId, last.startedAt)) return undefined;
  const since = now.minus({ days: LIMIT_WINDOW_DAYS });
  const { fingerprint } = last;
  const onCard = fingerprint === null ? [] : await listAttemptsOnFingerprint(db, account, fingerprint, since);
  return {
    method: methodOf(last, last.paymentMethod),
    attempts: listRelevantAttempts([...attempts, ...onCard]),
  };
}

function methodOf(last: StoredAttempt, id: string): PaymentMethodFacts {
  const brand = last.brand ?? undefined;
  return {
    id,
    type: last.methodType ?? undefined,
    brand,
    networks: brand === undefined ? [] : [brand],
    fingerprint: last.fingerprint ?? undefined,
    expiry: last.cardExpiry ?? undefined,
  };
}

/** Stored facts about a future payment. */
interface PredictionContext extends Omit<CardContext, 'method' | 'attempts' | 'holds'> {
  readonly invoice: CardContext['invoice'] & Pick<PayableInvoice, 'nextStripeAttemptAt'>;
  readonly holds: InvoiceHolds;
  /** Absent if the card to be charged is unknown. */
  readonly method?: PaymentMethodFacts | undefined;
  readonly attempts?: readonly StoredAttempt[];
}

const FORESEEN: readonly Guard<PredictionContext>[] = [
  DISPUTED,
  POSTPONED,
  PAYER_DISPUTES,
  STRIPE_RETRY_NEAR,
];

/** Known objections to a payment at a time, without asking Stripe. */
function predictObjection({ method, attempts, ...rest }: PredictionContext): Objection | undefined {
  const known = { ...rest, invoice: atItsTime(rest) };
  const objection = findObjection(FORESEEN, known);
  if (objection || !method || !attempts) return objection;
  return judgeCard({ ...known, method, attempts });
}

/** Ignores a Stripe attempt well before that time: the one after it is unknown. */
function atItsTime({
  invoice,
  now,
}: Pick<PredictionContext, 'invoice' | 'now'>): PredictionContext['invoice'] {
  const { nextStripeAttemptAt: next } = invoice;
  const isOver = next !== undefined && next.plus({ hours: NEAR_STRIPE_HOURS }) <= now;
  return isOver ? { ...invoice, nextStripeAttemptAt: undefined } : invoice;
}
