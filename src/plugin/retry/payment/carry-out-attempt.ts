/** One attempt from its row to its outcome. The row is there before Stripe is called, and names the idempotency key. */
import { randomUUID } from 'node:crypto';
import { EffectsPausedError } from '../../../core/base/errors.ts';
import { attemptKey } from '../../../core/contract/attempt-key.ts';
import type { Transaction } from '../../../core/database/database.ts';
import { inSpan } from '../../../core/telemetry/spans.ts';
import { isAccessRefused } from '../../clients/stripe-refusals.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import { holdsClaim, type StoredAction } from '../../store/tables/retry/actions.ts';
import {
  countCall,
  insertAttempt,
  listAttemptsOfInvoice,
  type NewAttempt,
  nextAttemptNumber,
  type StoredAttempt,
} from '../../store/tables/retry/attempts.ts';
import { countCharge } from '../../store/tables/retry/charge-minutes.ts';
import { ALL_ACCOUNTS, pauseEffects } from '../../store/tables/retry/pauses.ts';
import type { ActionResult } from '../actions/action-result.ts';
import type { Objection } from '../actions/objection.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import type { CardTries } from '../invoice/card-tries.ts';
import type { PayableInvoice, PaymentMethodFacts } from '../invoice/payable-invoice.ts';
import { concludeAttempt, LOST_CLAIM, WITHHELD_SECONDS } from './conclude-attempt.ts';
import { outcomeOfError, outcomeOfInvoice, type PaymentOutcome } from './outcome.ts';
import { canRepeat, inFlightUntil, listCandidates, nextRepeatAt, settleByReading } from './settle-attempt.ts';

/** What one call may take: the request's own limit, and once more where the connection was reset (stripe-facts 3.9). */
const CALL_SECONDS = 75;

/** Why a call was not made although the guards let it pass. */
const CARD_IN_USE: Objection = { guard: 'network_limits', reason: { code: 'card_in_use' } };

/** Writes a new attempt and makes its first call, if nothing was tried with the card since it was looked at. */
export async function beginAttempt(
  deps: RetryDeps,
  action: StoredAction,
  { card, ...target }: { invoice: PayableInvoice; method: PaymentMethodFacts | undefined; card: CardTries },
): Promise<ActionResult> {
  const attempt = await createAttempt(deps, action, target);
  const { account, invoiceId } = action;
  const { idempotencyKey, attemptNumber, amount, currency } = attempt;
  const detail = { attemptNumber, amount, currency, idempotencyKey, cause: action.cause };
  return callStripe(deps, action, { ...attempt, calls: 0 }, async (tx) => {
    if (await card.isOutdated(tx)) return CARD_IN_USE;
    const objection = await tripOverLimit(deps, tx);
    if (objection !== undefined) return objection;
    await insertAttempt(tx, attempt);
    await recordAudit(tx, { account, at: attempt.startedAt, invoiceId, kind: 'attempt.started', detail });
    return undefined;
  });
}

/**
 * Repeats an attempt without an answer under its key while that is safe and still wanted; otherwise reads what it came
 * to. Undefined if it came to nothing.
 */
export async function continueAttempt(
  deps: RetryDeps,
  action: StoredAction,
  { open, invoice, isWanted }: { open: StoredAttempt; invoice: PayableInvoice; isWanted: boolean },
): Promise<ActionResult | undefined> {
  const now = deps.clock.now();
  const mayCall = isWanted && invoice.status !== 'paid';
  if (mayCall && canRepeat(open, now)) return callStripe(deps, action, open);
  const charges = await deps.stripe.listCharges(action.account, action.invoiceId);
  const recorded = await listAttemptsOfInvoice(deps.database, action.account, action.invoiceId);
  const candidates = listCandidates(open, { charges, recorded });
  const keys = await deps.stripe.findRequestKeys(action.account, candidates);
  const own = candidates.filter(({ id }) => keys.get(id) === open.idempotencyKey);
  const outcome = settleByReading({ isPaid: invoice.status === 'paid', own });
  const until = inFlightUntil(open);
  if (outcome.kind === 'not_executed' && until > now) {
    return { guard: 'attempt_in_doubt', reason: { code: 'charge_not_known_yet' }, until };
  }
  const result = await concludeAttempt(deps, action, open, outcome);
  return outcome.kind === 'not_executed' && 'state' in result ? undefined : result;
}

/** Ends an attempt on an invoice that Stripe does not know any more. */
export async function abandonAttempt(
  deps: RetryDeps,
  action: StoredAction,
  open: StoredAttempt,
): Promise<void> {
  await concludeAttempt(deps, action, open, { kind: 'not_executed', code: 'invoice_unknown' });
}

/** Calls Stripe, unless the action was stopped or taken over since it was claimed. */
async function callStripe(
  deps: RetryDeps,
  action: StoredAction,
  attempt: Pick<StoredAttempt, 'id' | 'idempotencyKey' | 'calls'>,
  prepare: (tx: Transaction) => Promise<Objection | undefined> = (tx) => tripOverLimit(deps, tx),
): Promise<ActionResult> {
  // First, so that no more are counted in a minute than may begin in one.
  await deps.stripe.awaitPaymentTurn(action.account);
  const now = deps.clock.now();
  const withheld = await deps.database.transaction(async (tx) => {
    if (!(await holdsClaim(tx, action, now.plus({ seconds: CALL_SECONDS })))) return LOST_CLAIM;
    const objection = await prepare(tx);
    if (objection !== undefined) return objection;
    return (await countCall(tx, attempt.id, now)) ? undefined : LOST_CLAIM;
  });
  if (withheld !== undefined) {
    const audit = { kind: 'attempt.withheld' as const, detail: { ...withheld } };
    return { ...withheld, until: now.plus({ seconds: WITHHELD_SECONDS }), audit };
  }
  const outcome = await pay(deps, action, attempt.idempotencyKey ?? attempt.id);
  if (outcome.kind !== 'unknown') return concludeAttempt(deps, action, { id: attempt.id }, outcome);
  const until = nextRepeatAt(deps.clock.now(), attempt.calls + 1);
  const { kind: _, ...cause } = outcome;
  const reason = { code: 'attempt_unknown', ...cause } as const;
  const audit = { kind: 'attempt.unknown' as const, detail: { reason, repeatedAt: until.toISO() } };
  return { guard: 'attempt_in_doubt', reason, until, audit };
}

/** More charges in a minute than all processes together may make: something is wrong, and everything is paused. */
async function tripOverLimit(
  { config, clock }: Pick<RetryDeps, 'config' | 'clock'>,
  tx: Transaction,
): Promise<Objection | undefined> {
  const max = config.ceilings.chargesPerMinute;
  const now = clock.now();
  if ((await countCharge(tx, now)) <= max) return undefined;
  const note = `more than ${max} charges within a minute`;
  await pauseEffects(tx, { account: ALL_ACCOUNTS, reason: note, by: 'MAX_CHARGES_PER_MINUTE', at: now });
  return { guard: 'paused', reason: { code: 'effects_paused', note } };
}

async function pay(deps: RetryDeps, action: StoredAction, idempotencyKey: string): Promise<PaymentOutcome> {
  const paymentMethod = action.paymentMethod ?? undefined;
  const request = { invoiceId: action.invoiceId, paymentMethod, idempotencyKey };
  try {
    const attributes = { invoice: action.invoiceId, action: action.id };
    return await inSpan('attempt', { attributes }, async () =>
      outcomeOfInvoice(await deps.stripe.payInvoice(action.account, request)),
    );
  } catch (error) {
    // Nothing was done, but an earlier call under this key may have been: the attempt stays open.
    if (isAccessRefused(error) || error instanceof EffectsPausedError) throw error;
    return outcomeOfError(error);
  }
}

export async function createAttempt(
  deps: RetryDeps,
  action: StoredAction,
  { invoice, method }: { invoice: PayableInvoice; method: PaymentMethodFacts | undefined },
): Promise<NewAttempt> {
  const { id: actionId, account, invoiceId } = action;
  const id = randomUUID();
  return {
    id,
    account,
    invoiceId,
    customerId: invoice.customerId,
    subscriptionId: invoice.subscription?.id,
    actionId,
    attemptNumber: await nextAttemptNumber(deps.database, account, invoiceId),
    idempotencyKey: attemptKey(invoiceId, id),
    amount: invoice.amountRemaining,
    currency: invoice.currency,
    startedAt: deps.clock.now(),
    paymentMethod: method?.id,
    methodType: method?.type,
    brand: method?.brand,
    fingerprint: method?.fingerprint,
    cardExpiry: method?.expiry,
  };
}
