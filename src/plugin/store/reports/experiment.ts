/** Outcomes of an experiment by arm, as sums over customers. */
import type { DateTime } from 'luxon';
import { type ClusterSums, compareClusters, type Difference } from '../../../core/base/cluster-comparison.ts';
import type { Queryable } from '../../../core/database/database.ts';
import { type Arm, LATE } from '../tables/retry/lots.ts';

/** Days that a case has to be paid; younger cases do not count. */
export const MATURE_DAYS = 35;

/** Sums over cases, or over minor units of one currency net of refunds and lost disputes. */
export interface ArmSums extends ClusterSums {
  readonly arm: Arm;
  /** Null for cases. */
  readonly currency: string | null;
  readonly attempts: number;
  readonly emails: number;
}

export interface DrawnCustomers {
  /** The control group's treatment: Stripe's own retries, or a fixed schedule. */
  readonly against: 'stripe' | 'schedule';
  /** Null against a schedule, which is the same in both modes. */
  readonly mode: 'advisory' | 'exclusive' | null;
  /** Share of the control group. Customers drawn with another share or mode do not count. */
  readonly percent: number;
  readonly since: DateTime<true>;
  readonly endedAt: DateTime<true> | null;
  readonly ours: number;
  readonly control: number;
}

export interface Compared {
  /** Null for cases. */
  readonly currency: string | null;
  readonly ours: ArmSums;
  readonly control: ArmSums;
  /** Null without enough data. */
  readonly difference: Difference | null;
}

export interface Experiment extends DrawnCustomers {
  readonly matureDays: number;
  /** Cases first. */
  readonly compared: Compared[];
}

/** Compares our retries with the control group; undefined before the first customer. Does not refresh `failures`. */
export async function readExperiment(db: Queryable, now: DateTime): Promise<Experiment | undefined> {
  const drawn = await findDrawn(db);
  if (!drawn) return undefined;
  const sums = await sumArms(db, drawn, now);
  const currencies = [...new Set(sums.map(({ currency }) => currency))];
  const compared = currencies.map((currency) => {
    const of = (arm: Arm) =>
      sums.find((sum) => sum.currency === currency && sum.arm === arm) ?? { ...NOTHING, currency, arm };
    const [ours, control] = [of('ours'), of('control')];
    return { currency, ours, control, difference: compareClusters(ours, control) ?? null };
  });
  return { ...drawn, matureDays: MATURE_DAYS, compared };
}

const NOTHING = { customers: 0, x: 0, y: 0, xx: 0, xy: 0, yy: 0, attempts: 0, emails: 0 };

/** Drawn by the customer's id against Stripe, and by the service's draw for each case against the schedule. */
const FAILURES = {
  stripe: `select f.*, l.arm from payment_retry.lots l
    join payment_retry.failures f on f.account = l.account and f.customer_id = l.customer_id
    where l.percent = $1 and l.mode = $3 and f.failed_at between l.drawn_at - ${LATE} and coalesce(l.ended_at, 'infinity')`,
  schedule: `select f.*, case when c.is_on_static_schedule then 'control' else 'ours' end as arm from payment_retry.recovery_cases c
    join payment_retry.failures f on f.account = c.account and f.invoice_id = c.invoice_id
    where c.drawn_percent = $1 and $3::text is null and f.customer_id is not null`,
} as const;

/** The latest experiment. */
function findDrawn(db: Queryable) {
  return db.find<DrawnCustomers>(
    `select against, mode, percent, since, ended_at, ours::int, control::int from (
       select 'stripe' as against, mode, percent, min(drawn_at) as since, max(drawn_at) as latest,
         case when bool_and(ended_at is not null) then max(ended_at) end as ended_at,
         count(*) filter (where arm = 'ours') as ours, count(*) filter (where arm = 'control') as control
       from payment_retry.lots group by mode, percent
       union all
       select 'schedule', null, c.drawn_percent, min(c.opened_at), max(c.opened_at), null,
         count(distinct (f.account, f.customer_id)) filter (where not c.is_on_static_schedule),
         count(distinct (f.account, f.customer_id)) filter (where c.is_on_static_schedule)
       from payment_retry.recovery_cases c join payment_retry.failures f on f.account = c.account and f.invoice_id = c.invoice_id
       where c.drawn_percent is not null group by c.drawn_percent) drawn order by latest desc limit 1`,
  );
}

const SUMS = `count(*)::int as customers, sum(x)::float8 as x, sum(y)::float8 as y, sum(x * x)::float8 as xx,
  sum(x * y)::float8 as xy, sum(y * y)::float8 as yy, sum(attempts)::int as attempts, sum(emails)::int as emails`;

/** Sums all cases of all drawn customers by assigned arm (intention to treat). */
function sumArms(db: Queryable, { against, mode, percent }: DrawnCustomers, now: DateTime) {
  return db.query<ArmSums>(
    `with cases as (
       select f.account, f.customer_id, f.arm, f.currency, f.amount::float8 as amount,
         case when f.state = 'recovered' and f.ended_at < f.failed_at + make_interval(days => ${MATURE_DAYS})
           then (f.amount - f.returned)::float8 else 0 end as back,
         f.attempts + (f.state = 'recovered')::int as attempts,
         (select count(*) from payment_retry.emails e where e.account = f.account and e.invoice_id = f.invoice_id
            and e.state = 'sent') as emails
       from (${FAILURES[against]}) f where f.failed_at <= $2
     ), of_customers as (
       select arm, null as currency, count(*)::float8 as x, (count(*) filter (where back > 0))::float8 as y,
         sum(attempts) as attempts, sum(emails) as emails from cases group by account, customer_id, arm
       union all
       select arm, currency, sum(amount), sum(back), sum(attempts), sum(emails) from cases
       group by account, customer_id, arm, currency
     )
     select arm, currency, ${SUMS} from of_customers group by arm, currency order by currency nulls first, arm`,
    [percent, now.minus({ days: MATURE_DAYS }), mode],
  );
}
