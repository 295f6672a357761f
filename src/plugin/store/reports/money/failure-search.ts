/** Failed invoices by words of who pays them and of their ids. */
import type { Queryable } from '../../../../core/database/database.ts';

/** Words that as many invoices have are common: the next that has them is never far away in any order. */
export const COMMON = 2_000;

/** Of the parameter with a text query, which a row of failures must meet. */
export const HAS_WORDS = (parameter: string) => `words @@ to_tsquery('simple', ${parameter})`;

/** All that have them, found by the words and by nothing else: for those that are not common. */
export const MATCHING = (parameter: string) =>
  `select * from payment_retry.failures where ${HAS_WORDS(parameter)} limit ${COMMON}`;

async function isCommon(db: Queryable, textQuery: string): Promise<boolean> {
  const [found] = await db.query<{ rows: number }>(
    `select count(*)::integer as rows from (${MATCHING('$1')}) found`,
    [textQuery],
  );
  return found?.rows === COMMON;
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Every word must begin a word of the invoice. Undefined if there is none in the text. */
function toTextQuery(search: string | undefined): string | undefined {
  const words = wordsOf(search ?? '');
  return words.length === 0 ? undefined : words.map((word) => `${word}:*`).join(' & ');
}

/** What a text is searched for by. */
export interface Words {
  readonly query: string;
  readonly isCommon: boolean;
}

/** Undefined where there is no word in the text. */
export async function findWords(db: Queryable, search: string | undefined): Promise<Words | undefined> {
  const query = toTextQuery(search);
  return query === undefined ? undefined : { query, isCommon: await isCommon(db, query) };
}
