/** What our retries recover against the control group's, for the console and the API. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import type { Database } from '../../../core/database/database.ts';
import { type Experiment, readExperiment } from '../../store/reports/experiment.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';

const side = z.looseObject({
  customers: z.int(),
  x: z.number().describe('At stake: cases, or minor units.'),
  y: z.number().describe('Recovered of it, net.'),
  attempts: z.int(),
  emails: z.int(),
});
export const experimentAnswer = z.object({
  experiment: z
    .looseObject({
      against: z.enum(['stripe', 'schedule']),
      mode: z.string().nullable(),
      percent: z.int(),
      compared: z.array(
        z.object({
          currency: z.string().nullable().describe('Null: in cases.'),
          ours: side,
          control: side,
          difference: z
            .object({ points: z.number(), low: z.number(), high: z.number() })
            .nullable()
            .describe('In percentage points; null where there is too little to say.'),
        }),
      ),
    })
    .nullable(),
});

export async function answerExperiment(
  database: Database,
  now: DateTime,
): Promise<{ experiment: Experiment | null }> {
  await refreshForReader(database);
  return { experiment: (await readExperiment(database, now)) ?? null };
}
