import type { Queryable } from '../../../src/core/database/database.ts';

/**
 * Empties the tables between two tests. Only those with rows: a table that is truncated gets a new file for itself and for
 * each of its indexes, and most tests write to few.
 */
export async function emptyTables(db: Queryable, tables: readonly string[]): Promise<void> {
  const questions = tables.map((name) => `select '${name}' as name where exists (select from ${name})`);
  const filled = await db.query<{ name: string }>(questions.join(' union all '));
  if (filled.length > 0)
    await db.query(`truncate ${filled.map(({ name }) => name).join(', ')} restart identity`);
}
