import { DateTime } from 'luxon';

const HOUR_MS = 60 * 60_000;

/**
 * Requested wait in milliseconds: `Retry-After` as seconds, even fractional, or as an HTTP date (RFC 9110, section 10.2.3). A date is relative to
 * the answer's `Date`, so that our clock does not matter, or else to `now`. Limited to `mostMs` against wrong clocks. Undefined
 * without a readable value.
 */
export function readRetryAfterMs(
  headers: Pick<Headers, 'get'>,
  now: DateTime,
  mostMs = HOUR_MS,
): number | undefined {
  const wait = headers.get('retry-after')?.trim();
  if (wait === undefined) return undefined;
  const asked = /^\d+(\.\d+)?$/.test(wait) ? Number(wait) * 1000 : untilDate(wait, headers, now);
  return asked === undefined ? undefined : Math.min(mostMs, Math.max(0, Math.ceil(asked)));
}

function untilDate(wait: string, headers: Pick<Headers, 'get'>, now: DateTime): number | undefined {
  const until = DateTime.fromHTTP(wait);
  const sent = DateTime.fromHTTP(headers.get('date') ?? '');
  return until.isValid ? until.toMillis() - (sent.isValid ? sent : now).toMillis() : undefined;
}
