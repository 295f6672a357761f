/** An invoice's status in two or three words. */
import type { DateTime } from 'luxon';
import type { Standing } from '../../store/reports/money/needs.ts';
import type { Tone } from './text-table.ts';

export const STANDING_WORDS: Readonly<Record<Standing | 'unpaid', string>> = {
  unpaid: 'In recovery',
  retry: 'Retry scheduled',
  asked: 'Waiting for customer',
  waiting: 'Waiting for retry service',
  needs_attention: 'Needs attention',
  stopped: 'Stopped',
  recovered: 'Recovered',
  lost: 'Lost',
};

/** The colour of its chip in the console, and of its word in a terminal. */
export const STANDING_TONES: Readonly<Record<Standing, Tone>> = {
  retry: 'info',
  asked: 'info',
  needs_attention: 'warn',
  stopped: 'soft',
  waiting: 'soft',
  recovered: 'good',
  lost: 'bad',
};

export function isStanding(text: string): text is Standing {
  return Object.hasOwn(STANDING_WORDS, text) && text !== 'unpaid';
}

interface Stands {
  readonly standing: Standing;
  readonly nextKind: string | null;
  readonly nextAt: DateTime | null;
  /** Stripe's own next attempt. */
  readonly stripeAt: DateTime | null;
}

/** `Retry on Tuesday`: the day is that of `now`'s zone. */
export function describeStanding({ standing, nextKind, nextAt, stripeAt }: Stands, now: DateTime): string {
  const at = (nextKind === 'pay' ? nextAt : null) ?? stripeAt;
  if (standing !== 'retry' || at === null) return STANDING_WORDS[standing];
  const there = at.setZone(now.zone).setLocale('en');
  const days = Math.round(there.startOf('day').diff(now.startOf('day'), 'days').days);
  if (days <= 0) return 'Retry today';
  if (days === 1) return 'Retry tomorrow';
  return `Retry on ${there.toFormat(days < 7 ? 'cccc' : 'd LLL')}`;
}
