/** What came of the mails that went out since a day: each answers for the time until the next one about the same debts. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../engine/database.ts';

export interface FunnelKey {
  readonly template: string;
  /** Which of the mails about the same debts: `first`, `reminder` or `last`. */
  readonly notice: string;
  /** Of the texts that were sent; null for all of them together. */
  readonly language: string | null;
}

export interface FunnelRow extends FunnelKey {
  readonly sent: number;
  /** The page behind the link was read, which mail scanners do, too. */
  readonly opened: number;
  /** Its button was pressed, which only a person does. */
  readonly continued: number;
  readonly saved: number;
  readonly paid: number;
  /** Half of them took less, in seconds from the mail; null where there are none. */
  readonly secondsToOpen: number | null;
  readonly secondsToPay: number | null;
}

export interface FunnelMoney extends FunnelKey {
  readonly currency: string;
  /** In the smallest unit, net of refunds and lost disputes. */
  readonly amount: number;
}

/** An invoice counts for the last mail that named it before it was paid. */
const MAILS = `mails as (
    select account, template, step, notice, language, named, sent_at, opened_at, continued_at,
      lead(sent_at, 1, 'infinity'::timestamptz) over (partition by account, campaign, template order by sent_at) as next_at
    from payment_retry.emails where state = 'sent' and sent_at >= $1)`;

const PAID = `payment_retry.failures f on f.account = m.account and f.invoice_id = any(m.named)
    and f.state = 'recovered' and f.ended_at > m.sent_at and f.ended_at < m.next_at`;

const median = (of: string) =>
  `percentile_cont(0.5) within group (order by extract(epoch from ${of} - sent_at))`;

export async function readMailFunnel(
  db: Queryable,
  since: DateTime,
): Promise<{ rows: FunnelRow[]; money: FunnelMoney[] }> {
  const rows = await db.query<FunnelRow>(
    `with ${MAILS}, outcomes as (
       select m.*, (select min(f.ended_at) from ${PAID.replace(' on ', ' where ')}) as paid_at,
         exists (select from payment_retry.actions a where a.account = m.account and a.invoice_id = any(m.named)
           and a.cause = 'card_change' and a.created_at > m.sent_at and a.created_at < m.next_at) as is_saved
       from mails m)
     select template, notice, language, count(*)::int as sent, count(opened_at)::int as opened,
       count(continued_at)::int as continued, (count(*) filter (where is_saved))::int as saved, count(paid_at)::int as paid,
       ${median('opened_at')} as seconds_to_open, ${median('paid_at')} as seconds_to_pay
     from outcomes group by grouping sets ((template, notice), (template, notice, language))
     order by template, array_position(array['first', 'reminder', 'last'], notice), language nulls first`,
    [since.toISO()],
  );
  const money = await db.query<FunnelMoney>(
    `with ${MAILS}
     select m.template, m.notice, m.language, f.currency, sum(f.amount - f.returned)::bigint as amount
     from mails m join ${PAID}
     group by grouping sets ((m.template, m.notice, f.currency), (m.template, m.notice, m.language, f.currency)) order by f.currency`,
    [since.toISO()],
  );
  return { rows, money };
}
