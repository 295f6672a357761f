/** What came of the emails, by step and language: for the console and the API. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import type { Database } from '../../../core/database/database.ts';
import { type FunnelKey, readEmailFunnel } from '../../store/reports/email-funnel.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';

export const emailOutcomesQuery = z.object({
  days: z.coerce.number().int().min(1).max(366).default(30).describe('Emails of this many days.'),
});

const emailOutcome = z.object({
  template: z.string(),
  notice: z.string().describe('Which of the emails about the same debts: `first`, `reminder` or `last`.'),
  language: z.string().nullable().describe('Of its texts; null for all languages together.'),
  sent: z.int(),
  opened: z.int().describe('The page behind the link was read, which mail scanners do, too.'),
  continued: z.int().describe('Its button was pressed.'),
  saved: z.int().describe('A new card was saved.'),
  paid: z.int().describe('An invoice that it named was paid.'),
  money: z
    .array(
      z.object({
        currency: z.string(),
        amount: z.int(),
        disputes: z.int().describe('Open ones.'),
        disputed: z.int().describe('Included in `amount`.'),
      }),
    )
    .describe('What was paid, net, in each currency’s smallest unit.'),
  secondsToOpen: z.number().nullable().describe('Half of them took less.'),
  secondsToPay: z.number().nullable().describe('Half of them took less.'),
});
export type EmailOutcome = z.output<typeof emailOutcome>;

export const emailOutcomesAnswer = z.object({ outcomes: z.array(emailOutcome) });

export async function readEmailOutcomes(
  database: Database,
  now: DateTime,
  days: number,
): Promise<z.output<typeof emailOutcomesAnswer>> {
  await refreshForReader(database);
  const { rows, money } = await readEmailFunnel(database, now.minus({ days }));
  const isSame = (one: FunnelKey, other: FunnelKey) =>
    one.template === other.template && one.notice === other.notice && one.language === other.language;
  return {
    outcomes: rows.map((row) => ({
      ...row,
      money: money
        .filter((sum) => isSame(sum, row))
        .map(({ currency, amount, disputes, disputed }) => ({ currency, amount, disputes, disputed })),
    })),
  };
}
