/** Saved views that search for a person who is forgotten, or are named after them. */
import type { Queryable } from '../engine/database.ts';
import { wordsOf } from '../reports/money/failure-search.ts';
import type { CustomerKey } from '../tables/forgotten.ts';
import type { SavedView, ViewKey } from '../tables/saved-views.ts';

/** As long as the name is known. Returns how many there were. */
export async function eraseViews(db: Queryable, { account, customerId }: CustomerKey): Promise<number> {
  const [person] = await db.query<{ name: string | null; email: string | null }>(
    `select name, email from payment_retry.customers where account = $1 and id = $2`,
    [account, customerId],
  );
  const about = findAbout([person?.name ?? '', person?.email ?? '', customerId]);
  const views = await db.query<ViewKey & SavedView>(
    'select operator, list, name, filters from payment_retry.saved_views',
  );
  const found = views.filter(about);
  const removed = await db.query(
    `delete from payment_retry.saved_views where (operator, list, name) in (select * from unnest($1::text[], $2::text[], $3::text[]))
     returning 1 as one`,
    [found.map(({ operator }) => operator), found.map(({ list }) => list), found.map(({ name }) => name)],
  );
  return removed.length;
}

/**
 * A view finds the person if each of its words begins one of theirs, as the lists search; the domain of an address alone is nobody's.
 * One is named after them if its name has all words of theirs.
 */
function findAbout([name = '', email = '', id = '']: readonly string[]) {
  const own = [...wordsOf(name), ...wordsOf(email.split('@')[0] ?? '')];
  const all = [...own, ...wordsOf(email), ...wordsOf(id)];
  const begins = (words: readonly string[], word: string) => words.some((one) => one.startsWith(word));
  const names = wordsOf(name);
  return (view: SavedView): boolean => {
    const { q = '', customer } = view.filters;
    const asked = wordsOf(q);
    const called = wordsOf(view.name);
    return (
      [q, customer].includes(id) ||
      (asked.every((word) => begins(all, word)) && asked.some((word) => begins(own, word))) ||
      (names.length > 0 && names.every((word) => called.includes(word)))
    );
  };
}
