/** Records that the service, or a case of the embedded one, gave up an invoice, and plans AFTER_GIVING_UP. */
import { DateTime } from 'luxon';
import type { CaseEnd, RecoveryCase } from '../../../core/contract/recovery-cases.ts';
import type { Transaction } from '../../../core/database/database.ts';
import type { Reason } from '../../reasons/reason.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import { findPromise } from '../../store/tables/retry/emails.ts';
import { findEnding, forgetGivenUp, recordGivenUp } from '../../store/tables/retry/endings.ts';
import { findHold } from '../../store/tables/retry/holds.ts';
import { findStopOfService, lockInstructionsOfInvoice } from '../../store/tables/retry/instructions.ts';
import { planAction } from '../../store/tables/retry/plan-action.ts';
import { closeScheduledActions } from '../../store/tables/retry/planned-actions.ts';
import { type InvoiceKey, isTakenOver } from '../../store/tables/retry/takeovers.ts';
import { findInvoice } from '../../store/tables/sync/invoices.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';

export interface GivingUp {
  readonly reason: Reason;
  /** Identifies the service's message, so that a repeated one plans nothing twice. */
  readonly occasion: string;
  /** Leaves the ending to a person, regardless of AFTER_GIVING_UP. */
  readonly isForPerson?: boolean;
}

/**
 * Ends only invoices that we took over: for others Stripe's own setting decides (stripe-facts 4.1). Settled invoices need no end, and a
 * date promised in an email is kept.
 */
export async function giveUp(
  deps: Pick<RetryDeps, 'config' | 'clock' | 'enqueue'>,
  tx: Transaction,
  key: InvoiceKey,
  { reason, occasion, isForPerson = false }: GivingUp,
): Promise<void> {
  const { mode, afterGivingUp: choice } = deps.config;
  const now = deps.clock.now();
  const invoice = await findInvoice(tx, key.account, key.invoiceId);
  if (invoice?.status !== 'open' || mode === 'advisory') return;
  if (mode === 'observe') {
    if (choice !== 'leave' && !isForPerson)
      await recordAudit(tx, { ...key, at: now, kind: 'observed.ending', detail: { choice, reason } });
    return;
  }
  if (!(await isTakenOver(tx, key)) || !(await recordGivenUp(tx, key, reason, now))) return;
  await recordAudit(tx, { ...key, at: now, kind: 'dunning.given_up', detail: { choice, reason } });
  await closeEndings(tx, key.account, [key.invoiceId], now);
  if (choice === 'leave' || isForPerson) return;
  const promise = await findPromise(tx, key);
  const dueAt = promise ? DateTime.max(now, promise) : now;
  const { customerId, subscriptionId } = invoice;
  await planAction(deps, tx, {
    ...key,
    customerId,
    subscriptionId,
    cause: 'ending',
    reference: occasion,
    kind: 'end_dunning',
    dueAt,
    createdAt: now,
  });
}

/** Gives up an invoice that the service stopped before it was taken over, such as during a pause. Repeating it changes nothing. */
export async function giveUpIfStopped(deps: RetryDeps, key: InvoiceKey): Promise<void> {
  await deps.database.transaction(async (tx) => {
    await lockInstructionsOfInvoice(tx, key.account, key.invoiceId);
    const requestId = await findStopOfService(tx, key.account, key.invoiceId);
    if (requestId === undefined || (await findEnding(tx, key))) return;
    // A person's release overrules an earlier stop.
    if ((await findHold(tx, key))?.releasedAt) return;
    await giveUp(deps, tx, key, { reason: { code: 'dunning_completed' }, occasion: requestId });
  });
}

/** Withdraws a give-up, after a new instruction or a person's decision. */
export async function takeUpAgain(
  tx: Transaction,
  account: string,
  invoiceIds: readonly string[],
  now: DateTime,
): Promise<void> {
  await closeEndings(tx, account, invoiceIds, now);
  await forgetGivenUp(tx, account, invoiceIds);
}

async function closeEndings(
  tx: Transaction,
  account: string,
  invoiceIds: readonly string[],
  now: DateTime,
): Promise<void> {
  const target = { account, invoiceIds, kinds: ['end_dunning'] as const };
  await closeScheduledActions(tx, target, { code: 'newer_word' }, now);
}

/** Older decisions were read late, for example when cases are read again. A person decides about them. */
const LATE_AFTER_DAYS = 7;

const GIVEN_UP: ReadonlyMap<CaseEnd | undefined, (why: string) => Reason> = new Map([
  ['given_up', (why: string): Reason => ({ code: 'service_gave_up', why })],
  ['merchant', (why: string): Reason => ({ code: 'only_merchant_can_mend', why })],
]);

/** Applies the ends of the embedded service's cases. `cases` have changed since the last read. */
export async function followCases(
  deps: Pick<RetryDeps, 'config' | 'clock' | 'enqueue'>,
  tx: Transaction,
  account: string,
  cases: readonly RecoveryCase[],
): Promise<void> {
  if (deps.config.mode === 'advisory') return;
  const now = deps.clock.now();
  const open = cases.filter(({ state }) => state === 'open').map(({ invoiceId }) => invoiceId);
  if (open.length > 0) await takeUpAgain(tx, account, open, now);
  for (const { invoiceId, revision, end, reason, updatedAt } of cases) {
    const toReason = GIVEN_UP.get(end);
    if (!toReason) continue;
    const isLate = DateTime.fromISO(updatedAt) < now.minus({ days: LATE_AFTER_DAYS });
    await giveUp(
      deps,
      tx,
      { account, invoiceId },
      { reason: toReason(reason), occasion: `case ${revision}`, isForPerson: end === 'merchant' || isLate },
    );
  }
}
