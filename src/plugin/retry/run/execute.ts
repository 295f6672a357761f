import type { DateTime } from 'luxon';
import { DatabaseAwayError, EffectsPausedError, messageOf } from '../../../core/base/errors.ts';
import type { Queryable } from '../../../core/database/database.ts';
import { retryWhileDatabaseDown } from '../../../core/database/retry-while-database-down.ts';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import { createMeasures } from '../../../core/telemetry/measures.ts';
import { isAccessRefused } from '../../clients/stripe-refusals.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import {
  type AnyAction,
  claimAction,
  closeAction,
  findAction,
  isSingleFlightViolation,
  postponeAction,
  type StoredAction,
} from '../../store/tables/retry/actions.ts';
import { askPerson } from '../../store/tables/retry/planned-actions.ts';
import type { ActionExecutor, ActionResult, Obstacle } from '../actions/action-result.ts';
import { auditAction, endAction, recordObjection } from '../actions/audit-lines.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { endDunning } from '../ending/end-dunning.ts';
import { resumeSubscription } from '../ending/resume-subscription.ts';
import { switchStripeRetries } from '../exclusive/hand-back-invoice.ts';
import { sendEndNotice } from '../mail/end-notice.ts';
import { sendExpiryNotice } from '../mail/expiry-notice.ts';
import { sendBackupNotice } from '../mail/send-backup-notice.ts';
import { askCustomer, sendFirstNotice } from '../mail/send-customer-email.ts';
import { keepCard } from '../payment/keep-card.ts';
import { payInvoice } from '../payment/pay-invoice.ts';

const EXECUTORS: Readonly<Record<StoredAction['kind'], ActionExecutor>> = {
  pay: payInvoice,
  card_update_email: askCustomer('card_update'),
  confirm_payment_email: askCustomer('confirm_payment'),
  failure_notice_email: sendFirstNotice,
  end_dunning: endDunning,
  resume_subscription: resumeSubscription,
  stripe_retries: switchStripeRetries,
  subscription_ended_email: sendEndNotice,
  backup_charged_email: sendBackupNotice,
  keep_card: keepCard,
};

/** Longest duration of a job. `holdsClaim` fences the end of a slow run; claims of dead processes are freed within seconds (`process-watch`). */
const CLAIM_MINUTES = 5;
/** Wait while another action of the customer runs, or another process holds this one. */
const BUSY_SECONDS = 15;

/** Carries out a due action: claim, run, record the result. */
export function createExecutor(
  deps: RetryDeps,
  measures = createMeasures(),
): JobHandler<PluginQueues['execute-action']> {
  return {
    handle: async (data) => {
      const action = await claim(deps, data);
      if (!action) return;
      const lateMs = deps.clock.now().toMillis() - action.dueAt.toMillis();
      const { kind } = action;
      measures.observe('payment_retry_action_lateness_seconds', { kind }, Math.max(0, lateMs / 1000));
      try {
        await finish(deps, action, await run(deps, action));
      } catch (error) {
        await giveBack(deps, action, error);
        throw error;
      }
    },
    onDead: async ({ actionId }, error) => {
      const reason = { code: 'gave_up', error: messageOf(error) } as const;
      await deps.database.transaction((tx) =>
        endAction(tx, actionId, { guard: 'failure', reason }, deps.clock.now()),
      );
    },
  };
}

/** An action is kept while Stripe refuses our key. */
const ACCESS_RECHECK_MINUTES = 60;

async function run(deps: RetryDeps, action: AnyAction): Promise<ActionResult> {
  try {
    return action.invoiceId === null
      ? await sendExpiryNotice(deps, action)
      : await EXECUTORS[action.kind](deps, action);
  } catch (error) {
    // Not claimed again before the end of the pause, except to settle a begun effect.
    if (error instanceof EffectsPausedError)
      return {
        guard: 'paused',
        reason: { code: 'effects_paused', note: error.reason },
        until: deps.clock.now(),
      };
    if (!isAccessRefused(error)) throw error;
    const until = deps.clock.now().plus({ minutes: ACCESS_RECHECK_MINUTES });
    const reason = { code: 'access_refused', ...deps.stripe.describeRefusal(error) } as const;
    return { guard: 'stripe_access', until, reason };
  }
}

/** Returns a failed run's claim, so that the next try can have it; after a database outage as soon as it is back. */
async function giveBack(deps: RetryDeps, action: Claimed, error: unknown): Promise<void> {
  const until = deps.clock.now();
  const reason = { code: 'failed', error: messageOf(error) } as const;
  await retryWhileDatabaseDown(() =>
    deps.database.transaction((tx) => putOff(deps, tx, action, { guard: 'failure', reason, until })),
  );
}

type Job = PluginQueues['execute-action'];

async function claim(deps: RetryDeps, data: Job): Promise<AnyAction | undefined> {
  const now = deps.clock.now();
  const until = now.plus({ minutes: CLAIM_MINUTES });
  try {
    const claimed = await claimAction(deps.database, data.actionId, { now, until, by: deps.processId() });
    if (!claimed) await waitForClaim(deps, data);
    return claimed;
  } catch (error) {
    // The claim may have succeeded, and only its answer was lost.
    if (error instanceof DatabaseAwayError)
      await giveBack(deps, { id: data.actionId, claimedUntil: until, reason: null }, error);
    if (!isSingleFlightViolation(error)) throw error;
    await waitForCustomer(deps, data, now.plus({ seconds: BUSY_SECONDS }));
    return undefined;
  }
}

async function waitForCustomer(deps: RetryDeps, data: Job, until: DateTime): Promise<void> {
  const action = await findAction(deps.database, data.actionId);
  const busy: Obstacle = { guard: 'single_flight', reason: { code: 'customer_busy' }, until };
  if (action) await recordObjection(deps.database, action, busy, deps.clock.now());
  await deps.enqueue('execute-action', [{ data, startAfter: until }]);
}

/** Another process holds it and may release it before the claim ends. */
async function waitForClaim(deps: RetryDeps, data: Job): Promise<void> {
  const action = await findAction(deps.database, data.actionId);
  const now = deps.clock.now();
  const dueAt = action?.state === 'scheduled' ? action.dueAt : undefined;
  // The clock was set back, and the job came early.
  const isEarly = dueAt !== undefined && dueAt > now;
  if (action?.state !== 'running' && !isEarly) return;
  const startAfter = isEarly ? dueAt : now.plus({ seconds: BUSY_SECONDS });
  await deps.enqueue('execute-action', [{ data, startAfter }]);
}

async function finish(deps: RetryDeps, action: AnyAction, result: ActionResult): Promise<void> {
  const now = deps.clock.now();
  await deps.database.transaction(async (tx) => {
    if ('state' in result) {
      await closeAction(tx, action.id, result, now);
      if (result.audit) await auditAction(tx, action, result.audit, now);
      return;
    }
    if (result.asksPerson && (await askPerson(tx, action, result.reason))) {
      const { guard, reason } = result;
      return auditAction(
        tx,
        action,
        { kind: 'guard.asked', detail: { action: action.kind, guard, reason } },
        now,
      );
    }
    if (result.until === undefined) return endAction(tx, action.id, result, now);
    if (!(await putOff(deps, tx, action, { ...result, until: result.until }))) return;
    const data = { actionId: action.id, account: action.account };
    await deps.enqueue('execute-action', [{ data, startAfter: result.until }], tx);
  });
}

type Claimed = Pick<StoredAction, 'id' | 'claimedUntil' | 'reason'>;

/** False if the action does not come back: it was stopped and this was its last run, or another process has it. */
async function putOff(
  { clock }: Pick<RetryDeps, 'clock'>,
  tx: Queryable,
  action: Claimed,
  obstacle: Obstacle & { until: DateTime },
): Promise<boolean> {
  const now = clock.now();
  const { until, reason, audit } = obstacle;
  const left = await postponeAction(tx, action, until, reason);
  const isBack = left?.state === 'scheduled';
  // Problems are logged for stopped actions, too; a refused key only once.
  const isKnown = reason.code === 'access_refused' && action.reason?.code === 'access_refused';
  if (left && (isBack ? !isKnown : audit !== undefined)) await recordObjection(tx, left, obstacle, now);
  const stopped = left?.reason ?? { code: 'stopped' };
  if (left && !isBack) await recordObjection(tx, left, { guard: 'action_closed', reason: stopped }, now);
  return isBack;
}
