/** What waits for a person, as one mail a day to NEEDS_YOU_MAIL_TO: by cause, without anybody's name. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import { listNeeds } from '../../operator/lists/needs-you.ts';
import type { AlertText } from '../../operator/text/alerts/describe-alert.ts';
import { money } from '../../operator/text/describe-code.ts';
import { NEED_ROWS } from '../../operator/text/describe-need.ts';
import type { Database } from '../../store/engine/database.ts';
import { beginNeedsDay, keepNeedsMail, NEEDS_DAY } from '../../store/tables/alerts.ts';
import { findCursor } from '../../store/tables/sync/cursors.ts';

/** When people begin to work, on the merchant's clocks. */
const MORNING = 8;

/** What a person stopped waits by their own will: alone it is no reason for a mail. */
const isWaiting = ({ code }: { readonly code: string }) => code !== 'stopped';

/** Looks once a day. A morning at which nothing waits passes without a mail. */
export async function lookForNeeds(database: Database, now: DateTime, zone: string): Promise<void> {
  const here = now.setZone(zone);
  const day = here.toISODate();
  if (day === null || here.hour < MORNING || (await findCursor(database, '*', NEEDS_DAY)) === day) return;
  const groups = await listNeeds(database, 0);
  const causes = groups.map(({ code, count, money: sums }) => ({ code, count, money: sums }));
  await database.transaction(async (tx) => {
    if ((await beginNeedsDay(tx, day, now)) && causes.some(isWaiting))
      await keepNeedsMail(tx, { day, now, causes });
  });
}

const needsDetail = z.object({
  causes: z.array(
    z.object({
      code: z.string(),
      count: z.number(),
      money: z.array(z.object({ currency: z.string(), amount: z.number() })),
    }),
  ),
});

export function describeNeedsMail(detail: unknown, url: string): AlertText {
  const { causes } = needsDetail.parse(detail);
  const count = causes.filter(isWaiting).reduce((sum, cause) => sum + cause.count, 0);
  const rows = new Map<string, { readonly words: string }>(Object.entries(NEED_ROWS));
  const lines = causes.map(({ code, count: own, money: sums }) => {
    const worth = sums.map(({ amount, currency }) => money(amount, currency)).join(' + ');
    return `${rows.get(code)?.words ?? code}: ${own}${worth === '' ? '' : `, ${worth}`}`;
  });
  return {
    title: `${count} ${count === 1 ? 'thing waits' : 'things wait'} for you`,
    text: [...lines, url].join('\n'),
  };
}
