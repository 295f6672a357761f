/** What an operator narrows a list to again and again, under a name of their own. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';

export interface ViewKey {
  /** Who is signed in. */
  readonly operator: string;
  /** The page of the list. */
  readonly list: string;
  readonly name: string;
}

export interface SavedView {
  readonly name: string;
  /** Parameters of the page's address. */
  readonly filters: Readonly<Record<string, string>>;
}

/** More of one list nobody finds again. */
const MOST = 50;

export function listViews(db: Queryable, { operator, list }: Omit<ViewKey, 'name'>): Promise<SavedView[]> {
  return db.query<SavedView>(
    `select name, filters from payment_retry.saved_views where operator = $1 and list = $2 order by lower(name), name`,
    [operator, list],
  );
}

/** One of the same name is replaced. False where there are too many. */
export async function saveView(
  db: Queryable,
  { operator, list, name, filters }: ViewKey & SavedView,
  at: DateTime,
): Promise<boolean> {
  const rows = await db.query(
    `insert into payment_retry.saved_views (operator, list, name, filters, saved_at)
     select $1, $2, $3, $4::jsonb, $5 where (select count(*) from payment_retry.saved_views
       where operator = $1 and list = $2 and name <> $3) < ${MOST}
     on conflict (operator, list, name) do update set filters = excluded.filters, saved_at = excluded.saved_at returning 1 as one`,
    [operator, list, name, JSON.stringify(filters), at],
  );
  return rows.length > 0;
}

export async function removeView(db: Queryable, { operator, list, name }: ViewKey): Promise<void> {
  await db.query('delete from payment_retry.saved_views where operator = $1 and list = $2 and name = $3', [
    operator,
    list,
    name,
  ]);
}
