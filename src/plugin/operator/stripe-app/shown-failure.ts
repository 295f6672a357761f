/** Failed invoices in the words of the console's lists. */
import type { DateTime } from 'luxon';
import { capitalize } from '../../../core/base/sentence-case.ts';
import type { Failure } from '../../store/reports/money/list-failures.ts';
import type { Need } from '../../store/reports/money/needs.ts';
import { NEED_ROWS, WAIT_FOR_ANSWER } from '../text/describe-need.ts';
import { describeStanding, STANDING_TONES } from '../text/describe-standing.ts';
import type { ShownNeed, Standing } from './answers.ts';
import type { Reader } from './reader.ts';

export function namePayer({ customerName, customerEmail }: Failure): string | null {
  return customerName ?? customerEmail;
}

/** `Retry on Tuesday`, in the reader's days. */
export function showStanding(failure: Failure, { timeZone }: Reader, now: DateTime): Standing {
  const label = describeStanding(failure, now.setZone(timeZone));
  return { label, tone: STANDING_TONES[failure.standing] };
}

export function showNeed(need: Need, isAwaited = false): ShownNeed {
  const { words, advice, action } = NEED_ROWS[need];
  return {
    words,
    advice: isAwaited ? `An email has just gone out: ${WAIT_FOR_ANSWER}.` : advice,
    title: isAwaited ? capitalize(WAIT_FOR_ANSWER) : action.title,
    inStripe: 'inStripe' in action ? action.inStripe : null,
  };
}
