/** What our retries recover against Stripe's own, for the console and the API. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import type { Database } from '../../../core/database/database.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';
import { readStripeComparison, type StripeComparison } from '../../store/reports/stripe-comparison.ts';

const side = z.looseObject({
  customers: z.int(),
  x: z.number().describe('At stake: cases, or minor units.'),
  y: z.number().describe('Recovered of it, net.'),
  attempts: z.int(),
  mails: z.int(),
});
export const comparisonAnswer = z.object({
  comparison: z
    .looseObject({
      mode: z.string(),
      percent: z.int(),
      compared: z.array(
        z.object({
          currency: z.string().nullable().describe('Null: in cases.'),
          ours: side,
          stripe: side,
          difference: z
            .object({ points: z.number(), low: z.number(), high: z.number() })
            .nullable()
            .describe('In percentage points; null where there is too little to say.'),
        }),
      ),
    })
    .nullable(),
});

export async function readComparison(
  database: Database,
  now: DateTime,
): Promise<{ comparison: StripeComparison | null }> {
  await refreshForReader(database);
  return { comparison: (await readStripeComparison(database, now)) ?? null };
}
