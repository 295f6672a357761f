/** An attempt from its row to its outcome. The row precedes the call to Stripe and holds the idempotency key. */
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
import { ALL_ACCOUNTS, countCharge, pauseEffects } from '../../store/tables/retry/pauses.ts';
import type { ActionResult } from '../actions/action-result.ts';
import type { Objection } from '../actions/objection.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import type { CardTries } from '../invoice/card-tries.ts';
import type { PayableInvoice, PaymentMethodFacts } from '../invoice/payable-invoice.ts';
import { concludeAttempt, LOST_CLAIM, WITHHELD_SECONDS } from './conclude-attempt.ts';
import { outcomeOfError, outcomeOfInvoice, type PaymentOutcome } from './outcome.ts';
import { canRepeat, inFlightUntil, listCandidates, nextRepeatAt, settleByReading } from './settle-attempt.ts';

/** Longest call: the request's limit, twice after a connection reset (stripe-facts 3.9). */
const CALL_SECONDS = 75;

/** Objection after the guards, right before the call. */
const CARD_IN_USE: Objection = { guard: 'network_limits', reason: { code: 'card_in_use' } };

/** Inserts a new attempt and makes its first call, unless the card was tried meanwhile. */
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

/** Repeats an unanswered attempt under its key while that is safe and wanted; otherwise reads its outcome. Undefined if nothing was charged. */
export async function continueAttempt(
  deps: RetryDeps,
  action: StoredAction,
  {
    open,
    invoice,
    isWanted,
    unreported,
  }: { open: StoredAttempt; invoice: PayableInvoice; isWanted: boolean; unreported: readonly string[] },
): Promise<ActionResult | undefined> {
  const now = deps.clock.now();
  const mayCall = isWanted && invoice.status !== 'paid' && canRepeat(open, now);
  if (mayCall && unreported.length === 0) return callStripe(deps, action, open);
  const charges = await deps.stripe.listCharges(action.account, action.invoiceId);
  const recorded = await listAttemptsOfInvoice(deps.database, action.account, action.invoiceId);
  const candidates = listCandidates(open, { charges, recorded });
  // Stripe tried before the attempt began, by whichever clock, and only the event is late.
  const since = open.startedAt.minus({ minutes: 1 }).toUnixInteger();
  const earlier = charges.filter(({ created }) => created < since).map(({ id }) => id);
  const isNone = candidates.length === 0 && unreported.every((id) => earlier.includes(id));
  if (mayCall && isNone) return callStripe(deps, action, open);
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

/** Calls Stripe, unless the action was stopped or taken over. */
async function callStripe(
  deps: RetryDeps,
  action: StoredAction,
  attempt: Pick<StoredAttempt, 'id' | 'idempotencyKey' | 'calls'>,
  prepare: (tx: Transaction) => Promise<Objection | undefined> = (tx) => tripOverLimit(deps, tx),
): Promise<ActionResult> {
  // First, so that a minute counts no more charges than may begin in it.
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

/** Pauses everything if all processes together exceed the charges of a minute: something is wrong. */
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
    const call = () => deps.stripe.payInvoice(action.account, request);
    return outcomeOfInvoice(await inSpan('attempt', { attributes }, call));
  } catch (error) {
    // Nothing was done now, but an earlier call under this key may have charged: the attempt stays open.
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
