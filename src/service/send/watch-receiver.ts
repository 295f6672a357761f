/**
 * The circuit breaker of each callback address, shared by all processes through the database: ten processes spare a receiver
 * that is down as one does, and a restart does not begin to call it again.
 */
import type { DateTime } from 'luxon';
import type { Logger } from '../../core/base/logger.ts';
import type { Database } from '../../core/database/database.ts';
import { claimReceiver, findReceiver, forgetReceiver, saveReceiver } from '../store/callback-receivers.ts';
import type { CallbackTarget } from './callback-client.ts';
import { admit, afterFailure, comeBackAt, type Failure, pauseOf } from './circuit-breaker.ts';

export interface WatchDeps {
  database: Database;
  logger: Logger;
}

/** Longer than the callback's timeout: a probe that outlives it died with its process. */
const PROBE_SECONDS = 30;

/** When to ask again, or undefined if the address may be called now. */
export async function findDelay(
  { database }: WatchDeps,
  address: string,
  { actionId, now }: { actionId: string; now: DateTime },
): Promise<DateTime | undefined> {
  const seen = admit(await findReceiver(database, address), now);
  if (seen.kind === 'pass') return undefined;
  if (seen.kind === 'wait') return comeBackAt(seen, actionId);
  return database.transaction(async (tx) => {
    const state = await claimReceiver(tx, address);
    const admission = admit(state, now);
    if (admission.kind === 'wait') return comeBackAt(admission, actionId);
    if (admission.kind === 'probe' && state)
      await saveReceiver(tx, address, { ...state, probeUntil: now.plus({ seconds: PROBE_SECONDS }) });
    return undefined;
  });
}

/** When to ask again, or undefined while the address is not given up. */
export async function noteFailure(
  { database, logger }: WatchDeps,
  address: string,
  failure: Failure,
): Promise<DateTime | undefined> {
  const state = await database.transaction(async (tx) => {
    const next = afterFailure(await claimReceiver(tx, address), failure);
    await saveReceiver(tx, address, next);
    return next;
  });
  const { openUntil: until, failures, lastAnswer } = state;
  if (!until) return undefined;
  logger.warn(
    { address, until: until.toISO(), failures, lastAnswer },
    'callbacks to a receiver are paused for a while',
  );
  return comeBackAt(pauseOf(state, until), failure.actionId);
}

export async function noteAnswer({ database, logger }: WatchDeps, address: string): Promise<void> {
  if (await forgetReceiver(database, address)) logger.info({ address }, 'a receiver answers again');
}

/** The logged and stored part of an address: no credentials and no query. */
export function addressOfReceiver({ baseUrl, receiver }: CallbackTarget): string {
  if (receiver !== undefined) return receiver;
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}
