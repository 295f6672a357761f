/** Failed invoices by words of who pays them and of their ids. */

/** A search looks through this many invoices that have its words, the first found. */
const MOST_FOUND = 5_000;

/** Of the parameter with a text query. */
export const MATCHING = (parameter: string) =>
  `select * from payment_retry.failures where words @@ to_tsquery('simple', ${parameter}) limit ${MOST_FOUND}`;

/** Every word must begin a word of the invoice. Undefined if there is none in the text. */
export function toTextQuery(search: string | undefined): string | undefined {
  const words = (search ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length === 0 ? undefined : words.map((word) => `${word}:*`).join(' & ');
}
