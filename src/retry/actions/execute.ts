import { DateTime } from 'luxon';
import { isAccessRefused } from '../../clients/stripe-client.ts';
import type { JobHandler } from '../../jobs/jobs.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { Queryable } from '../../store/engine/database.ts';
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
import { sendCardUpdate, sendConfirmPayment } from '../mail/send-customer-email.ts';
import { payInvoice } from '../payment/pay-invoice.ts';
import type { ActionExecutor, ActionResult } from './action-result.ts';
import type { RetryDeps } from './retry-deps.ts';
import { endAction, tellGuard } from './tell-guard.ts';

const EXECUTORS: Readonly<Record<ActionKind, ActionExecutor>> = {
  pay: payInvoice,
  card_update_email: sendCardUpdate,
  confirm_payment_email: sendConfirmPayment,
};

/**
 * As long as a job may take. What a run does at the end of a slow one is fenced by `holdsClaim`; the claims of a process
 * that died are freed within seconds (`process-watch`).
 */
const CLAIM_MINUTES = 5;
/** Another action of the same customer is running. */
const BUSY_SECONDS = 15;

/** Carries out one due action: claim it, run it, write down what became of it. */
export function createExecutor(deps: RetryDeps): JobHandler<PluginQueues['execute-action']> {
  return {
    handle: async (data) => {
      const action = await claim(deps, data);
      if (!action) return;
      await finish(deps, action, await run(deps, action));
    },
    onDead: async ({ actionId }, error) => {
      const reason = `gave up after repeated failures: ${error instanceof Error ? error.message : String(error)}`;
      await endAction(deps, actionId, { guard: 'failure', reason });
    },
  };
}

/** However long Stripe refuses our key, what was asked is not lost. */
const ACCESS_RECHECK_MINUTES = 60;

/** A run that fails gives its claim back, so that the job's retry finds the action free. */
async function run(deps: RetryDeps, action: StoredAction): Promise<ActionResult> {
  try {
    return await EXECUTORS[action.kind](deps, action);
  } catch (error) {
    if (isAccessRefused(error)) {
      const until = deps.clock.now().plus({ minutes: ACCESS_RECHECK_MINUTES });
      const said = error instanceof Error ? error.message : '';
      // Hour after hour the same: told once.
      const told = action.reason?.startsWith(ACCESS_REFUSED)
        ? ({ isTold: true } as const)
        : { guard: 'stripe_access' };
      return { kind: 'postponed', until, reason: `${ACCESS_REFUSED}: ${said}`, ...told };
    }
    await giveBack(deps, action, `failed: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  }
}

/** Freed before anything else is written: whatever failed may fail again. */
async function giveBack(deps: RetryDeps, action: StoredAction, reason: string): Promise<void> {
  const now = deps.clock.now();
  const freed = await postponeAction(deps.database, action, now, reason);
  if (freed?.state === 'closed') await tellStopped(deps.database, freed, now);
  if (freed?.state === 'scheduled')
    await tellGuard(deps.database, freed, { guard: 'failure', reason, until: now }, now);
}

type Job = PluginQueues['execute-action'];

async function claim(deps: RetryDeps, data: Job): Promise<StoredAction | undefined> {
  const now = deps.clock.now();
  try {
    const claimed = await claimAction(deps.database, data.actionId, {
      now,
      until: now.plus({ minutes: CLAIM_MINUTES }),
      by: deps.processId(),
    });
    if (!claimed) await waitForClaim(deps, data);
    return claimed;
  } catch (error) {
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

/** In other hands: look again when that claim has run out. */
async function waitForClaim(deps: RetryDeps, data: Job): Promise<void> {
  const action = await findAction(deps.database, data.actionId);
  if (action?.state !== 'running' || action.claimedUntil === null) return;
  const startAfter = DateTime.fromJSDate(action.claimedUntil, { zone: 'utc' });
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
