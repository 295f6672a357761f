import type { DateTime } from 'luxon';
import { isAccessRefused } from '../../clients/stripe-refusals.ts';
import { DatabaseAwayError } from '../../errors.ts';
import type { JobHandler } from '../../jobs/jobs.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { Queryable } from '../../store/engine/database.ts';
import { untilBack } from '../../store/engine/until-back.ts';
import {
  ACCESS_REFUSED,
  type ActionKind,
  claimAction,
  closeAction,
  findAction,
  isSingleFlightViolation,
  postponeAction,
  type StoredAction,
} from '../../store/tables/retry/actions.ts';
import { endDunning } from '../ending/end-dunning.ts';
import { sendCardUpdate, sendConfirmPayment } from '../mail/send-customer-email.ts';
import { payInvoice } from '../payment/pay-invoice.ts';
import type { ActionExecutor, ActionResult } from './action-result.ts';
import type { RetryDeps } from './retry-deps.ts';
import { endAction, tellGuard } from './tell-guard.ts';

const EXECUTORS: Readonly<Record<ActionKind, ActionExecutor>> = {
  pay: payInvoice,
  card_update_email: sendCardUpdate,
  confirm_payment_email: sendConfirmPayment,
  end_dunning: endDunning,
};

/**
 * As long as a job may take. What a run does at the end of a slow one is fenced by `holdsClaim`; the claims of a process
 * that died are freed within seconds (`process-watch`).
 */
const CLAIM_MINUTES = 5;
/** Another action of the same customer is running, or the action is in other hands. */
const BUSY_SECONDS = 15;

/** Carries out one due action: claim it, run it, write down what became of it. */
export function createExecutor(deps: RetryDeps): JobHandler<PluginQueues['execute-action']> {
  return {
    handle: async (data) => {
      const action = await claim(deps, data);
      if (!action) return;
      try {
        await finish(deps, action, await run(deps, action));
      } catch (error) {
        await giveBack(deps, action, `failed: ${error instanceof Error ? error.message : String(error)}`);
        throw error;
      }
    },
    onDead: async ({ actionId }, error) => {
      const reason = `gave up after repeated failures: ${error instanceof Error ? error.message : String(error)}`;
      await endAction(deps, actionId, { guard: 'failure', reason });
    },
  };
}

/** However long Stripe refuses our key, what was asked is not lost. */
const ACCESS_RECHECK_MINUTES = 60;

async function run(deps: RetryDeps, action: StoredAction): Promise<ActionResult> {
  try {
    return await EXECUTORS[action.kind](deps, action);
  } catch (error) {
    if (!isAccessRefused(error)) throw error;
    const until = deps.clock.now().plus({ minutes: ACCESS_RECHECK_MINUTES });
    const said = error instanceof Error ? error.message : '';
    // Hour after hour the same: told once.
    const told = action.reason?.startsWith(ACCESS_REFUSED)
      ? ({ isTold: true } as const)
      : { guard: 'stripe_access' };
    return { kind: 'postponed', until, reason: `${ACCESS_REFUSED}: ${said}`, ...told };
  }
}

/**
 * A run that fails gives its claim back, so that the job's next try finds the action free; where the database was away,
 * as soon as it is back. Before anything else is written: whatever failed may fail again.
 */
async function giveBack(
  deps: RetryDeps,
  action: Pick<StoredAction, 'id' | 'claimedUntil'>,
  reason: string,
): Promise<void> {
  const now = deps.clock.now();
  const freed = await untilBack(() => postponeAction(deps.database, action, now, reason));
  if (freed?.state === 'closed') await tellStopped(deps.database, freed, now);
  if (freed?.state === 'scheduled')
    await tellGuard(deps.database, freed, { guard: 'failure', reason, until: now }, now);
}

type Job = PluginQueues['execute-action'];

async function claim(deps: RetryDeps, data: Job): Promise<StoredAction | undefined> {
  const now = deps.clock.now();
  const until = now.plus({ minutes: CLAIM_MINUTES });
  try {
    const claimed = await claimAction(deps.database, data.actionId, { now, until, by: deps.processId() });
    if (!claimed) await waitForClaim(deps, data);
    return claimed;
  } catch (error) {
    // It may have been claimed, and only the answer got lost.
    if (error instanceof DatabaseAwayError)
      await giveBack(deps, { id: data.actionId, claimedUntil: until.toJSDate() }, `failed: ${error.message}`);
    if (!isSingleFlightViolation(error)) throw error;
    await waitForCustomer(deps, data, now.plus({ seconds: BUSY_SECONDS }));
    return undefined;
  }
}

async function waitForCustomer(deps: RetryDeps, data: Job, until: DateTime): Promise<void> {
  const action = await findAction(deps.database, data.actionId);
  const reason = 'another action for the same customer is running';
  if (action)
    await tellGuard(deps.database, action, { guard: 'single_flight', reason, until }, deps.clock.now());
  await deps.enqueue('execute-action', [{ data, startAfter: until }]);
}

/** In other hands, which may give it back long before that claim runs out. */
async function waitForClaim(deps: RetryDeps, data: Job): Promise<void> {
  const action = await findAction(deps.database, data.actionId);
  if (action?.state !== 'running') return;
  const startAfter = deps.clock.now().plus({ seconds: BUSY_SECONDS });
  await deps.enqueue('execute-action', [{ data, startAfter }]);
}

async function finish(deps: RetryDeps, action: StoredAction, result: ActionResult): Promise<void> {
  const { reason } = result;
  if (result.kind === 'done') {
    await closeAction(deps.database, action.id, { state: 'done', reason }, deps.clock.now());
  } else if (result.kind === 'closed') {
    await endAction(deps, action.id, result);
  } else {
    await putOff(deps, action, result);
  }
}

/** It was stopped while it ran, and this run was the last. */
function tellStopped(db: Queryable, action: StoredAction, now: DateTime): Promise<void> {
  return tellGuard(
    db,
    action,
    { guard: 'stopped', reason: action.reason ?? 'it was stopped while it ran' },
    now,
  );
}

async function putOff(
  deps: RetryDeps,
  action: StoredAction,
  result: Extract<ActionResult, { kind: 'postponed' }>,
): Promise<void> {
  const now = deps.clock.now();
  const { until, reason } = result;
  await deps.database.transaction(async (tx) => {
    const left = await postponeAction(tx, action, until, reason);
    if (left?.state === 'closed') await tellStopped(tx, left, now);
    if (left?.state !== 'scheduled') return;
    if ('guard' in result) await tellGuard(tx, left, { guard: result.guard, reason, until }, now);
    const data = { actionId: action.id, account: action.account };
    await deps.enqueue('execute-action', [{ data, startAfter: until }], tx);
  });
}
