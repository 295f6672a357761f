import type { Database } from './database.ts';

/**
 * Lets the space of rows that are gone be used again. A PostgreSQL server does that by itself; the embedded one has no such
 * process, nor one that gathers the planner's figures.
 */
export async function reclaimSpace(database: Database): Promise<void> {
  if (database.kind === 'embedded') await database.exec('vacuum analyze');
}
