/** Codes and shares of the money reports in words. */

import { capitalize } from '../../../core/base/sentence-case.ts';
import { brandName } from '../../mails/format-card.ts';
import { formatMoney } from '../../mails/format-money.ts';
import type { Cause, Dimension, NetSum } from '../../store/reports/money/sum-failures.ts';
import { describeCode } from '../text/describe-code.ts';
import { METHODS, type Method } from './money-facts.ts';

export const CAUSE_WORDS: Readonly<Record<Cause, string>> = {
  retry: 'Retry',
  new_card: 'New card',
  confirmation: 'Confirmation',
  other_card: 'Retry of another saved card',
  by_itself: 'Without us',
};

export const describeMethod = (method: Method) => CAUSE_WORDS[METHODS[method][0]];

export const DIMENSION_WORDS: Readonly<Record<Dimension, string>> = {
  reason: 'Decline reason',
  brand: 'Card network',
  country: 'Country of the card',
  plan: 'Plan',
};

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

export function describeValue(
  dimension: Dimension,
  value: string | null,
  plans: ReadonlyMap<string, string>,
): string {
  if (value === null) return 'Not known';
  if (dimension === 'reason') return capitalize(describeCode(value));
  if (dimension === 'brand') return brandName(value);
  if (dimension === 'plan') return plans.get(value) ?? value;
  return /^[A-Z]{2}$/.test(value) ? (COUNTRIES.of(value) ?? value) : value;
}

/** `includes 1 open dispute, $26.89`, of what a sum includes; undefined where it includes none. */
export function describeDisputes(
  { disputes, disputed }: Pick<NetSum, 'disputes' | 'disputed'>,
  currency: string,
  locale: string,
): string | undefined {
  if (disputes === 0) return undefined;
  const count = `${disputes.toLocaleString(locale)} open dispute${disputes === 1 ? '' : 's'}`;
  return `includes ${count}, ${formatMoney(disputed, currency, locale)}`;
}

export function percentOf(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)}%`;
}
