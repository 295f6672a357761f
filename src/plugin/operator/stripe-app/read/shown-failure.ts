/** How a failed invoice stands, in the words of the console's lists. */

import type { Clock } from '../../../../core/base/clock.ts';
import { capitalize } from '../../../../core/base/sentence-case.ts';
import type { Database } from '../../../../core/database/database.ts';
import {
  type Failure,
  type FailureFilter,
  listFailures,
} from '../../../store/reports/money/list-failures.ts';
import type { Need } from '../../../store/reports/money/needs.ts';
import { refreshForReader } from '../../../store/reports/money/refresh-failures.ts';
import { NEED_ROWS, WAIT_FOR_ANSWER } from '../../text/describe-need.ts';
import { describeStanding, STANDING_TONES } from '../../text/describe-standing.ts';
import type { Reader } from '../reader.ts';

/** The latest failures first, with what has just been done to them. */
export async function listShown(
  database: Database,
  filter: FailureFilter,
  limit: number,
): Promise<Failure[]> {
  await refreshForReader(database);
  return listFailures(database, filter, { sort: 'failed', limit });
}

export function namePayer({ customerName, customerEmail }: Failure): string | null {
  return customerName ?? customerEmail;
}

/** `Retry on Tuesday`, by the reader's days. */
export function showStanding(failure: Failure, { timeZone }: Reader, clock: Clock) {
  const label = describeStanding(failure, clock.now().setZone(timeZone));
  return { label, tone: STANDING_TONES[failure.standing] };
}

/** `title`: of the operation that helps, or of what is done in Stripe. */
export function showNeed(need: Need, isAwaited = false) {
  const { words, advice, action } = NEED_ROWS[need];
  return {
    words,
    advice: isAwaited ? `An email has just gone out: ${WAIT_FOR_ANSWER}.` : advice,
    title: isAwaited ? capitalize(WAIT_FOR_ANSWER) : action.title,
    inStripe: 'inStripe' in action ? action.inStripe : null,
  };
}
