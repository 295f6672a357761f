/** Search of failed invoices by words of the payer and of ids. */
import type { Queryable } from '../../../../core/database/database.ts';

/** Words found in this many invoices are common: any order meets the next match soon. */
export const COMMON = 2_000;

/** Condition on a row of failures; the parameter is a text query. */
export const HAS_WORDS = (parameter: string) => `words @@ to_tsquery('simple', ${parameter})`;

/** Matches found by the index of words alone, for words that are not common. */
export const MATCHING = (parameter: string) =>
  `select * from payment_retry.failures where ${HAS_WORDS(parameter)} limit ${COMMON}`;

async function isCommon(db: Queryable, textQuery: string) {
  const found = await db.findValue<number>(
    `select count(*)::integer as rows from (${MATCHING('$1')}) found`,
    [textQuery],
  );
  return found === COMMON;
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

export interface Words {
  readonly query: string;
  readonly isCommon: boolean;
}

/** Each word must begin a word of the invoice. Undefined without a word in the text. */
export async function findWords(
  db: Queryable,
  search: string | Words | undefined = '',
): Promise<Words | undefined> {
  if (typeof search !== 'string') return search;
  const query = wordsOf(search)
    .map((word) => `${word}:*`)
    .join(' & ');
  return query === '' ? undefined : { query, isCommon: await isCommon(db, query) };
}
