import { isError } from '../../../core/base/errors.ts';
import { ApiError, unauthorized, unexecuted } from '../api-error.ts';
import { showFirstItems } from '../objects/first-items.ts';
import { findAccountOwner, readOwner, showAccounts } from '../publish-event.ts';
import { BY_ITSELF, type World } from '../sandbox-world.ts';
import { worldOf } from '../test-clocks.ts';
import {
  type ApiFault,
  FAULT_ERRORS,
  type FaultSource,
  lockTimeout,
  storedServerError,
} from './api-faults.ts';
import { assertExpandDepth, expandAnswer } from './expand-answer.ts';
import type { ApiAnswer, IdempotencyStore } from './idempotency-store.ts';
import type { RateLimiter } from './rate-limits.ts';
import type { Route } from './route.ts';

export interface ApiCall {
  requestId: string;
  method: string;
  path: string;
  authorization: string | undefined;
  /** The `Stripe-Account` header; undefined for our own account. */
  account: string | undefined;
  idempotencyKey: string | undefined;
  version: string | undefined;
  route: Route | undefined;
  /** The `:id` of the path. */
  id: string;
  /** Query or form, with `expand`. */
  params: Record<string, unknown>;
}

export interface ApiSide {
  world: World;
  secretKey: string;
  faults: FaultSource;
  limit: RateLimiter;
  idempotency: IdempotencyStore;
  /** Objects a running call works on. */
  locks: Set<string>;
  /** Every call with a good key gets this error. */
  refusal?: ApiError;
}

export type CallOutcome = { kind: 'answered'; answer: ApiAnswer; isReplay: boolean } | { kind: 'dropped' };

/** Carries one API call out, in the order of Stripe's layers: key, rate limit, idempotency, locks, the endpoint. */
export async function answerCall(side: ApiSide, call: ApiCall): Promise<CallOutcome> {
  const fault = side.faults.takeFault(call.method, call.path);
  if (fault === 'drop_before') return { kind: 'dropped' };
  try {
    assertKey(side.secretKey, call.authorization);
    if (side.refusal !== undefined) throw side.refusal;
    side.limit(`${call.method} ${call.route?.path}`);
    const early = fault === undefined ? undefined : FAULT_ERRORS[fault]?.();
    if (early !== undefined) throw early;
    const outcome = await withIdempotency(side, call, fault);
    return fault === 'drop_after' ? { kind: 'dropped' } : outcome;
  } catch (error) {
    return answered(errorAnswer(error));
  }
}

async function withIdempotency(
  side: ApiSide,
  call: ApiCall,
  fault: ApiFault | undefined,
): Promise<CallOutcome> {
  const key = call.method === 'POST' ? call.idempotencyKey : undefined;
  if (key === undefined) return answered((await execute(side, call, fault)).answer);
  const fingerprint = `${call.path}\n${JSON.stringify(call.params)}`;
  const stored = side.idempotency.begin(key, fingerprint);
  if (stored !== undefined) return { kind: 'answered', answer: stored, isReplay: true };
  const { answer, isStored } = await execute(side, call, fault);
  side.idempotency.end(key, answer, isStored);
  return answered(answer);
}

interface Executed {
  answer: ApiAnswer;
  isStored: boolean;
}

async function execute(side: ApiSide, call: ApiCall, fault: ApiFault | undefined): Promise<Executed> {
  const lock = call.method === 'POST' && call.id !== '' ? call.id : undefined;
  const isMine = lock === undefined || !side.locks.has(lock);
  try {
    if (!isMine) throw lockTimeout();
    if (lock !== undefined) side.locks.add(lock);
    await side.faults.takeHold(call.method, call.path)?.();
    if (fault === 'server_error') throw storedServerError();
    return { answer: runRoute(worldOf(side.world, call), call), isStored: true };
  } catch (error) {
    return { answer: errorAnswer(error), isStored: !(error instanceof ApiError) || error.isStored };
  } finally {
    if (isMine && lock !== undefined) side.locks.delete(lock);
  }
}

/** Synchronous, so that two calls never see each other's half-done work. */
function runRoute(world: World, call: ApiCall): ApiAnswer {
  if (call.route === undefined || !isInVersion(call.route, call)) throw unknownUrl(call);
  const { expand, ...params } = call.params;
  world.cause = { id: call.requestId, idempotency_key: call.idempotencyKey ?? null };
  try {
    const paths = Array.isArray(expand) ? expand.map(String) : [];
    assertExpandDepth(paths);
    const id = findAccountOwner(world, call.id) ?? call.id;
    const answer = call.route.answer(world, { id, params: readOwner(world, params) });
    const shown = showAccounts(world, expandAnswer(world, answer, paths));
    return { status: 200, body: JSON.stringify(shown, showFirstItems), headers: {} };
  } finally {
    world.cause = BY_ITSELF;
  }
}

function isInVersion({ version }: Route, call: ApiCall): boolean {
  return version === undefined || call.version === version;
}

function answered(answer: ApiAnswer): CallOutcome {
  return { kind: 'answered', answer, isReplay: false };
}

/** A failure of the simulation itself shows as a 500 with its message, so that a test shows what broke. */
function errorAnswer(error: unknown): ApiAnswer {
  if (error instanceof ApiError) {
    return { status: error.status, body: JSON.stringify({ error: error.body }), headers: error.headers };
  }
  const message = isError(error) ? (error.stack ?? error.message) : String(error);
  const body = { error: { type: 'api_error', message: `The sandbox failed: ${message}` } };
  return { status: 500, body: JSON.stringify(body), headers: { 'Stripe-Should-Retry': 'false' } };
}

function assertKey(secretKey: string, authorization: string | undefined): void {
  if (authorization === undefined) throw unauthorized('You did not provide an API key.');
  // As Stripe's examples with curl have it, the key is the user's name.
  const basic = Buffer.from(`${secretKey}:`).toString('base64');
  if (authorization !== `Bearer ${secretKey}` && authorization !== `Basic ${basic}`)
    throw unauthorized('Invalid API Key provided.');
}

function unknownUrl({ method, path }: ApiCall): ApiError {
  const message = `Unrecognized request URL (${method}: ${path}).`;
  return unexecuted(404, { type: 'invalid_request_error', message });
}
