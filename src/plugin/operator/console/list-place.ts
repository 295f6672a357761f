/** Where a page of a list begins, as its address says it: after the row of this key and id. */
import { z } from 'zod';
import { type FailurePlace, type FailureSort, isPlaceKey } from '../../store/reports/money/failure-order.ts';
import { ROWS } from './page-answer.ts';

export const placeParameter = z
  .string()
  .regex(/^[\w:.-]{1,600}~[\x21-\x7e]{1,255}$/)
  .optional()
  .catch(undefined);

/** Reads the place in a list that is ordered by failures. */
export function readKey(sort: FailureSort, place: string | undefined): FailurePlace | undefined {
  const [key = '', invoiceId = ''] = place?.split('~') ?? [];
  return place !== undefined && isPlaceKey(sort, key) ? { key, invoiceId } : undefined;
}

/** Cuts a page from one row more than it has, and gives the beginning of the next. */
export function cutPage<Row>(
  found: readonly Row[],
  placeOf: (last: Row) => string,
): { rows: Row[]; next: string | undefined } {
  const rows = found.slice(0, ROWS);
  const last = rows.at(-1);
  if (found.length <= ROWS || last === undefined) return { rows, next: undefined };
  return { rows, next: placeOf(last) };
}
