import { z } from 'zod';
import type { Queryable } from '../../../src/core/database/database.ts';

const node = z.looseObject({
  'Relation Name': z.string().optional(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().default(0),
  Plans: z.array(z.unknown()).default([]),
});

/** How many rows of tables a store function's statement reads, those that it passes over included. */
export async function countVisited(
  database: Queryable,
  run: (db: Queryable) => Promise<unknown>,
): Promise<number> {
  let visited = 0;
  const visit = (plan: unknown): void => {
    const { Plans, ...one } = node.parse(plan);
    if (one['Relation Name'])
      visited += (one['Actual Rows'] + one['Rows Removed by Filter']) * one['Actual Loops'];
    Plans.forEach(visit);
  };
  await run({
    ...database,
    query: async (text, params) => {
      const [row] = await database.query<Record<string, unknown>>(
        `explain (analyze, format json) ${text}`,
        params,
      );
      const [{ Plan }] = z.tuple([z.object({ Plan: z.unknown() })]).parse(row?.['QUERY PLAN']);
      visit(Plan);
      return [];
    },
  });
  return visited;
}
