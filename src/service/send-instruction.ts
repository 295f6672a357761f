/** The job that sends one instruction: in order for each invoice, at least once, for about three days. */
import { DateTime } from 'luxon';
import type { Clock } from '../clock.ts';
import { UpstreamError } from '../errors.ts';
import type { Enqueue } from '../jobs/jobs.ts';
import type { Logger } from '../logger.ts';
import type { Database } from '../store/database.ts';
import { type CallbackAnswer, type CallbackTarget, postInstruction } from './callback-client.ts';
import type { ServicePayloads } from './service-queues.ts';
import {
  claimForSending,
  findUnsentAction,
  markSent,
  markUndeliverable,
  releaseUnsent,
  type SendableAction,
} from './store/sendable-actions.ts';

export interface SendDeps {
  database: Database;
  clock: Clock;
  logger: Logger;
  enqueue: Enqueue<ServicePayloads>;
  /** Undefined for an organization that is not served any more. */
  findCallback: (organization: string) => CallbackTarget | undefined;
}

export const SEND_FOR_HOURS = 72;
/** Longer than the callback's timeout: a claim that outlives it belonged to a process that died. */
const LEASE_SECONDS = 30;
const MIN_RETRY_SECONDS = 30;
const MAX_RETRY_HOURS = 24;

/** Rejects when the instruction should be sent again: the queue then waits, longer each time. */
export async function sendInstruction(
  deps: SendDeps,
  { organization, actionId }: ServicePayloads['send'],
): Promise<void> {
  const { database, clock } = deps;
  const action = await findUnsentAction(database, actionId);
  if (!action) return;
  const now = clock.now();
  const callback = deps.findCallback(organization);
  if (!callback) {
    const statusReason = 'the organization is not served any more';
    return markUndeliverable(database, actionId, { statusReason, now });
  }
  const until = now.plus({ seconds: LEASE_SECONDS });
  if (!(await claimForSending(database, actionId, { now, until })))
    throw unavailable(`Another instruction for ${action.invoiceId} is on its way.`);
  const answer = await postInstruction(callback, toInstruction(action), now);
  await recordAnswer(deps, { organization, actionId, action, answer });
}

/** The queue has tried its last. */
export async function giveUpSending(deps: SendDeps, actionId: string): Promise<void> {
  const statusReason = 'not acknowledged by the receiver';
  await markUndeliverable(deps.database, actionId, { statusReason, now: deps.clock.now() });
}

interface Sent {
  organization: string;
  actionId: string;
  action: SendableAction;
  answer: CallbackAnswer;
}

async function recordAnswer(deps: SendDeps, { organization, actionId, action, answer }: Sent): Promise<void> {
  const { database, clock, logger } = deps;
  const now = clock.now();
  const { requestId, invoiceId } = action;
  if (answer.kind === 'acknowledged') {
    await markSent(database, actionId, now);
    logger.info({ requestId, invoiceId }, 'an instruction was acknowledged');
    return;
  }
  const isTooOld = now >= DateTime.fromJSDate(action.createdAt).plus({ hours: SEND_FOR_HOURS });
  if (answer.kind === 'refused' || isTooOld) {
    const statusReason = isTooOld ? `not acknowledged: ${answer.message}` : `refused: ${answer.message}`;
    await markUndeliverable(database, actionId, { statusReason, now });
    logger.error({ requestId, invoiceId, statusReason }, 'an instruction could not be delivered');
    return;
  }
  await releaseUnsent(database, actionId, answer.message);
  if (!answer.retryAt) throw unavailable(`The receiver did not acknowledge ${requestId}: ${answer.message}`);
  const startAfter = clampRetry(answer.retryAt, now);
  await deps.enqueue('send', [{ data: { organization, actionId }, startAfter }]);
  logger.warn({ requestId, invoiceId, answer: answer.message }, 'the receiver asked to wait');
}

/** The receiver's wish, within reason. */
function clampRetry(retryAt: DateTime, now: DateTime): DateTime {
  const soonest = now.plus({ seconds: MIN_RETRY_SECONDS });
  const latest = now.plus({ hours: MAX_RETRY_HOURS });
  return DateTime.min(DateTime.max(retryAt, soonest), latest);
}

function toInstruction(action: SendableAction) {
  return {
    requestId: action.requestId,
    invoiceId: action.invoiceId,
    subscriptionId: action.subscriptionId ?? undefined,
    suggestion: action.suggestion,
    idealRetryAt: DateTime.fromJSDate(action.idealRetryAt, { zone: 'utc' }),
  };
}

function unavailable(message: string): UpstreamError {
  return new UpstreamError(message, { retryable: true });
}
