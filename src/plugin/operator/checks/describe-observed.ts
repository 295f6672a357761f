/** What `observe` mode would have done, for the log, `doctor` and the overview. */

import { formatMoney } from '../../mails/format-money.ts';
import type { Observed, ObservedCount } from '../../store/reports/observed.ts';

export const OBSERVE_MODE = 'Observe mode: nothing is charged or emailed';
/** The one setting that goes on from there. */
export const AFTER_OBSERVING = 'to go on, set RETRY_MODE=advisory';

const KINDS: ReadonlyMap<string, (count: ObservedCount, amounts: string) => string> = new Map([
  [
    'pay',
    ({ count, invoices }, amounts) =>
      `${many(count, 'payment')} tried on ${many(invoices, 'invoice')}${amounts}`,
  ],
  ['email', ({ count }) => `${many(count, 'email')} sent`],
  ['ending', ({ count }) => `${many(count, 'invoice')} ended (AFTER_GIVING_UP)`],
]);

/** Ends a sentence with counts and sums of the held-back actions. */
export function describeObserved({ counts, sums }: Observed): string {
  const amounts = sums.map(({ amount, currency }) => formatMoney(amount, currency, 'en')).join(', ');
  const parts = [...KINDS].flatMap(([kind, describe]) =>
    counts.filter((one) => one.kind === kind).map((one) => describe(one, amounts && ` (${amounts})`)),
  );
  return parts.length === 0
    ? 'nothing would have been done so far'
    : `would have been done so far: ${parts.join(', ')}`;
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
