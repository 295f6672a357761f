/** Results of emails sent since a day. Each counts until the next one about the same debts. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import { DISPUTED, type MoneySum } from './money/sum-failures.ts';

export interface FunnelKey {
  readonly template: string;
  /** `first`, `reminder` or `last` of the emails about the same debts. */
  readonly notice: string;
  /** Null for all languages together. */
  readonly language: string | null;
}

export interface FunnelRow extends FunnelKey {
  readonly sent: number;
  /** The page behind the link was read; mail scanners count, too. */
  readonly opened: number;
  /** The page's button was pressed; scanners do not do that. */
  readonly continued: number;
  readonly saved: number;
  readonly paid: number;
  /** Median seconds after the email; null without any. */
  readonly secondsToOpen: number | null;
  readonly secondsToPay: number | null;
}

export interface FunnelMoney extends FunnelKey, Pick<MoneySum, 'disputes' | 'disputed'> {
  readonly currency: string;
  /** Minor units, net of refunds and lost disputes. */
  readonly amount: number;
}

/** An invoice counts for the last email that named it before it was paid. One row an invoice keeps joins by equality. */
const EMAILS = `emails as materialized (
    select account, template, step, notice, language, named, sent_at, opened_at, continued_at,
      lead(sent_at, 1, 'infinity'::timestamptz) over (partition by account, campaign, template order by sent_at) as next_at
    from payment_retry.emails where state = 'sent' and sent_at >= $1),
  about as materialized (
    select m.account, one.invoice_id, m.step, m.template, m.notice, m.language, m.sent_at, m.next_at
    from emails m cross join lateral unnest(m.named) as one (invoice_id)),
  paid as materialized (
    select about.*, f.ended_at, f.currency, f.state, f.amount - f.returned as amount, f.disputed
    from about join payment_retry.failures f on f.account = about.account and f.invoice_id = about.invoice_id
      and f.state = 'recovered' and f.ended_at > about.sent_at and f.ended_at < about.next_at)`;

const median = (of: string) =>
  `percentile_cont(0.5) within group (order by extract(epoch from ${of} - sent_at))`;

export async function readEmailFunnel(db: Queryable, since: DateTime) {
  const rows = await db.query<FunnelRow>(
    `with ${EMAILS}, first_paid as (select step, min(ended_at) as paid_at from paid group by step),
     saved as (
       select distinct about.step from about
       join payment_retry.actions a on a.account = about.account and a.invoice_id = about.invoice_id
         and a.cause = 'card_change' and a.created_at > about.sent_at and a.created_at < about.next_at)
     select template, notice, language, count(*)::int as sent, count(opened_at)::int as opened,
       count(continued_at)::int as continued, count(saved.step)::int as saved, count(paid_at)::int as paid,
       ${median('opened_at')} as seconds_to_open, ${median('paid_at')} as seconds_to_pay
     from emails left join first_paid using (step) left join saved using (step)
     group by grouping sets ((template, notice), (template, notice, language))
     order by template, array_position(array['first', 'reminder', 'last'], notice), language nulls first`,
    [since],
  );
  const money = await db.query<FunnelMoney>(
    `with ${EMAILS}
     select template, notice, language, currency, sum(amount)::bigint as amount, ${DISPUTED} from paid
     group by grouping sets ((template, notice, currency), (template, notice, language, currency)) order by currency`,
    [since],
  );
  return { rows, money };
}
