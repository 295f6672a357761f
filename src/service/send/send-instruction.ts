/** The job that sends one instruction: in order for each invoice, at least once, for about three days. */
import { DateTime } from 'luxon';
import { UpstreamError } from '../../core/base/errors.ts';
import { retryWhileDatabaseDown } from '../../core/database/retry-while-database-down.ts';
import type { StatusReason } from '../reasons/status-reason.ts';
import type { ServiceDeps, ServicePayloads } from '../service-queues.ts';
import {
  claimForSending,
  findUnsentAction,
  markSent,
  markUndeliverable,
  markWaiting,
  releaseUnsent,
  type SendableAction,
} from '../store/sendable-actions.ts';
import { claimResendings } from '../store/undelivered-actions.ts';
import { type CallbackAnswer, type CallbackTarget, postInstruction } from './callback-client.ts';
import { addressOfReceiver, findDelay, noteAnswer, noteFailure } from './watch-receiver.ts';

export interface SendDeps extends ServiceDeps {
  /** Undefined for an organization that is not served any more. */
  findCallback: (organization: string) => CallbackTarget | undefined;
}

export const SEND_FOR_HOURS = 72;
/** Longer than the callback's timeout: a claim that outlives it belonged to a process that died. */
const LEASE_SECONDS = 30;
const MIN_RETRY_SECONDS = 30;
const MAX_RETRY_HOURS = 24;

/** One instruction and where it goes. */
interface Sending {
  organization: string;
  actionId: string;
  action: SendableAction;
  address: string;
}

/** Rejects when the instruction should be sent again: the queue then waits, longer each time. */
export async function sendInstruction(
  deps: SendDeps,
  { organization, actionId }: ServicePayloads['send'],
): Promise<void> {
  const { database, clock } = deps;
  const action = await findUnsentAction(database, actionId);
  if (!action) return;
  const { invoiceId } = action;
  const now = clock.now();
  // What it was asked for is over: the case says so when it is looked at.
  if (action.isPointless) return deps.enqueue('decide', [{ data: { organization, invoiceId } }]);
  const callback = deps.findCallback(organization);
  if (!callback) {
    const statusReason = { code: 'organization_not_served' } as const;
    return markUndeliverable(database, actionId, { statusReason, isRefused: true, now });
  }
  const sending = { organization, actionId, action, address: addressOfReceiver(callback) };
  const delay = await findDelay(deps, sending.address, { actionId, now });
  if (delay) return putOff(deps, sending, delay);
  const until = now.plus({ seconds: LEASE_SECONDS });
  if (!(await claimForSending(database, actionId, { now, until })))
    throw unavailable(`Another instruction for ${invoiceId} is on its way.`);
  const answer = await postInstruction(callback, action, now);
  deps.measures.count('retry_service_callbacks_total', { result: answer.kind });
  // Known, and not to be asked for again because the database is away just now.
  await retryWhileDatabaseDown(() => recordAnswer(deps, sending, answer));
}

/** The queue has tried its last. */
export async function giveUpSending(deps: SendDeps, actionId: string): Promise<void> {
  const statusReason = { code: 'not_acknowledged' } as const;
  await markUndeliverable(deps.database, actionId, { statusReason, isRefused: false, now: deps.clock.now() });
}

/** Gives a job to what a person asked to be sent again. */
export async function resendAsked({ database, enqueue }: SendDeps): Promise<void> {
  await database.transaction(async (tx) => {
    const asked = await claimResendings(tx);
    const jobs = asked.map((data) => ({ data }));
    await enqueue('send', jobs, tx);
  });
}

/** Nothing is sent: the receiver is left alone, and another instruction tries for all. */
async function putOff(deps: SendDeps, { organization, actionId, action }: Sending, startAfter: DateTime) {
  const now = deps.clock.now();
  if (isTooOld(action, now)) {
    const statusReason = { code: 'not_acknowledged' } as const;
    await markUndeliverable(deps.database, actionId, { statusReason, isRefused: false, now });
    return;
  }
  await markWaiting(deps.database, actionId, { code: 'receiver_unavailable' });
  await deps.enqueue('send', [{ data: { organization, actionId }, startAfter }]);
}

async function recordAnswer(deps: SendDeps, sending: Sending, answer: CallbackAnswer): Promise<void> {
  const { database, clock, logger } = deps;
  const { actionId, action, address } = sending;
  const now = clock.now();
  const { requestId, invoiceId } = action;
  if (answer.kind === 'acknowledged') {
    await markSent(database, actionId, now);
    await noteAnswer(deps, address);
    logger.info({ requestId, invoiceId }, 'an instruction was acknowledged');
    return;
  }
  if (answer.kind === 'refused') {
    await noteAnswer(deps, address);
    return bury(deps, sending, {
      statusReason: { code: 'refused', answer: answer.message },
      isRefused: true,
    });
  }
  const { message, retryAt } = answer;
  const wish = retryAt && clampRetry(retryAt, now);
  const pause = await noteFailure(deps, address, { actionId, answer: message, retryAt: wish, now });
  if (isTooOld(action, now))
    return bury(deps, sending, {
      statusReason: { code: 'not_acknowledged', answer: message },
      isRefused: false,
    });
  await releaseUnsent(database, actionId, { code: 'put_off', answer: message });
  const startAfter = wish && pause ? DateTime.max(wish, pause) : (wish ?? pause);
  if (!startAfter) throw unavailable(`The receiver did not acknowledge ${requestId}: ${message}`);
  const { organization } = sending;
  await deps.enqueue('send', [{ data: { organization, actionId }, startAfter }]);
  logger.warn({ requestId, invoiceId, answer: message }, 'an instruction is postponed');
}

async function bury(
  { database, clock, logger }: SendDeps,
  { actionId, action }: Sending,
  end: { statusReason: StatusReason; isRefused: boolean },
): Promise<void> {
  await markUndeliverable(database, actionId, { ...end, now: clock.now() });
  const { requestId, invoiceId } = action;
  logger.error({ requestId, invoiceId, ...end }, 'an instruction could not be delivered');
}

function isTooOld({ sendSince }: SendableAction, now: DateTime): boolean {
  return now >= sendSince.plus({ hours: SEND_FOR_HOURS });
}

/** The receiver's wish, within reason. */
function clampRetry(retryAt: DateTime, now: DateTime): DateTime {
  const soonest = now.plus({ seconds: MIN_RETRY_SECONDS });
  const latest = now.plus({ hours: MAX_RETRY_HOURS });
  return DateTime.min(DateTime.max(retryAt, soonest), latest);
}

function unavailable(message: string): UpstreamError {
  return new UpstreamError(message, { retryable: true });
}
