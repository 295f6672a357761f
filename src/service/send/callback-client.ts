/** Hands one instruction to the callback address and says what its answer means. */
import type { DateTime } from 'luxon';
import { toIsoSeconds } from '../../core/base/clock.ts';
import { isError } from '../../core/base/errors.ts';
import { tryJson } from '../../core/base/try-json.ts';
import { callbackAnswer, type RetryInstruction } from '../../core/contract/contract.ts';
import { readRetryAfterMs } from '../../core/contract/retry-after.ts';
import { carryTrace, inSpan, SpanKind } from '../../core/telemetry/spans.ts';
import {
  ANSWER_BYTES,
  askWithin,
  type BoundedAnswer,
  LateAnswerError,
} from '../../core/web/bounded-answer.ts';
import { type Fetch, ownFetch } from '../../core/web/in-process-fetch.ts';
import type { SendableAction } from '../store/sendable-actions.ts';

export interface CallbackTarget {
  /** Instructions go to `${baseUrl}/recovery_action`. */
  baseUrl: string;
  /** What it is known by, where it is not known by its address. */
  receiver?: string;
  token: string;
  /** Where the receiver runs in this process. */
  fetch?: Fetch;
}

export interface CallbackInstruction
  extends Pick<SendableAction, 'requestId' | 'invoiceId' | 'subscriptionId' | 'suggestion'> {
  idealRetryAt: DateTime;
}

/** `refused`: this instruction will never be taken. `unavailable`: worth another try. */
export type CallbackAnswer =
  | { kind: 'acknowledged' }
  | { kind: 'refused'; message: string }
  | { kind: 'unavailable'; message: string; retryAt: DateTime | undefined };

/** A receiver may ask for a day of maintenance. */
const LONGEST_WAIT_MS = 24 * 60 * 60_000;
const TIMEOUT_MS = 10_000;
const MAX_MESSAGE_LENGTH = 500;

/** Never rejects: no answer is an answer too. A redirect is not followed, as it could carry the token elsewhere. */
export async function postInstruction(
  target: CallbackTarget,
  instruction: CallbackInstruction,
  now: DateTime,
): Promise<CallbackAnswer> {
  const { fetch = ownFetch } = target;
  try {
    return await inSpan('callback', { kind: SpanKind.CLIENT }, async () => {
      const url = `${target.baseUrl.replace(/(?<!\/)\/+$/, '')}/recovery_action`;
      const request = {
        method: 'POST',
        headers: {
          authorization: `Bearer ${target.token}`,
          'content-type': 'application/json',
          ...carryTrace(),
        },
        body: JSON.stringify(toBody(instruction)),
        redirect: 'manual',
      } as const;
      const bounds = { withinMs: TIMEOUT_MS, mostBytes: ANSWER_BYTES };
      return classifyAnswer(await askWithin(fetch, url, request, bounds), now);
    });
  } catch (error) {
    return { kind: 'unavailable', message: `no answer: ${describeFailure(error)}`, retryAt: undefined };
  }
}

/** The contract's flat body; `subscriptionId` is left out when there is none. */
function toBody(instruction: CallbackInstruction): RetryInstruction {
  return {
    requestId: instruction.requestId,
    invoiceId: instruction.invoiceId,
    ...(instruction.subscriptionId ? { subscriptionId: instruction.subscriptionId } : {}),
    actionSuggestion: instruction.suggestion,
    idealRetryTime: toIsoSeconds(instruction.idealRetryAt),
  };
}

/** Acknowledged is only a 2xx whose body says so. */
function classifyAnswer(answer: BoundedAnswer, now: DateTime): CallbackAnswer {
  const body = callbackAnswer.safeParse(tryJson(answer.text)).data;
  if (answer.ok && body?.success) return { kind: 'acknowledged' };
  const message = describeAnswer(answer, body?.message ?? undefined);
  if (answer.status === 400) return { kind: 'refused', message };
  const waitMs = readRetryAfterMs(answer.headers, now, LONGEST_WAIT_MS);
  return { kind: 'unavailable', message, retryAt: waitMs === undefined ? undefined : now.plus(waitMs) };
}

/** The receiver's text, kept for the listing without the characters that PostgreSQL cannot store. */
function describeAnswer(
  { ok, status }: Pick<BoundedAnswer, 'ok' | 'status'>,
  message: string | undefined,
): string {
  const text = message?.replaceAll('\u0000', '').slice(0, MAX_MESSAGE_LENGTH);
  if (text) return `${status}: ${text}`;
  if (ok) return `${status}, but the body is not {"success": true}`;
  return status >= 300 && status < 400 ? `${status}: a redirect, which is not followed` : `${status}`;
}

/** Words for the list of callbacks. `fetch` hides the reason, such as a refused connection, in the cause. */
export function describeFailure(error: unknown): string {
  if (error instanceof LateAnswerError) return `none within ${TIMEOUT_MS / 1000} seconds`;
  if (!isError(error)) return String(error);
  const cause = isError(error.cause) ? error.cause : error;
  return 'code' in cause ? String(cause.code) : cause.name;
}
