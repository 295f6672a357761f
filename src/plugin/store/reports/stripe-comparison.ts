/** What the customers of a comparison with Stripe's own retries came to, by arm: sums over customers, never a customer. */
import type { DateTime } from 'luxon';
import { type ClusterSums, compareClusters, type Difference } from '../../../core/base/cluster-comparison.ts';
import type { Queryable } from '../../../core/database/database.ts';
import { type Arm, LATE } from '../tables/retry/lots.ts';

/** How long a case has to be paid in; younger ones do not count. */
export const MATURE_DAYS = 35;

/** Of cases, or in minor units of one currency, net of refunds and lost disputes. */
export interface ArmSums extends ClusterSums {
  readonly arm: Arm;
  /** Null: cases. */
  readonly currency: string | null;
  readonly attempts: number;
  readonly mails: number;
}

export interface DrawnLots {
  readonly mode: 'advisory' | 'exclusive';
  /** With which chance in percent a customer is left to Stripe. Lots of another chance or mode do not count. */
  readonly percent: number;
  readonly since: DateTime<true>;
  readonly endedAt: DateTime<true> | null;
  readonly ours: number;
  readonly stripe: number;
}

export interface Compared {
  /** Null: in cases. */
  readonly currency: string | null;
  readonly ours: ArmSums;
  readonly stripe: ArmSums;
  /** Null where there is too little to say. */
  readonly difference: Difference | null;
}

export interface StripeComparison extends DrawnLots {
  readonly matureDays: number;
  /** In cases first. */
  readonly compared: Compared[];
}

/** What retries by us recover more than Stripe's own; undefined before the first lot. The rows of `failures` are taken as they are. */
export async function readStripeComparison(
  db: Queryable,
  now: DateTime,
): Promise<StripeComparison | undefined> {
  const drawn = await findDrawnLots(db);
  if (!drawn) return undefined;
  const sums = await sumArms(db, drawn, now);
  const currencies = [...new Set(sums.map(({ currency }) => currency))];
  const compared = currencies.map((currency) => {
    const of = (arm: Arm) =>
      sums.find((sum) => sum.currency === currency && sum.arm === arm) ?? { ...NOTHING, currency, arm };
    const [ours, stripe] = [of('ours'), of('stripe')];
    const difference = compareClusters(ours, stripe) ?? null;
    return { currency, ours, stripe, difference };
  });
  return { ...drawn, matureDays: MATURE_DAYS, compared };
}

const NOTHING = { customers: 0, x: 0, y: 0, xx: 0, xy: 0, yy: 0, attempts: 0, mails: 0 };

/** Of the latest comparison; undefined before the first lot. */
async function findDrawnLots(db: Queryable): Promise<DrawnLots | undefined> {
  const [row] = await db.query<DrawnLots>(
    `select mode, percent, min(drawn_at) as since, case when bool_and(ended_at is not null) then max(ended_at) end as ended_at,
       (count(*) filter (where arm = 'ours'))::int as ours, (count(*) filter (where arm = 'stripe'))::int as stripe
     from payment_retry.lots group by mode, percent order by max(drawn_at) desc limit 1`,
  );
  return row;
}

const SUMS = `count(*)::int as customers, sum(x)::float8 as x, sum(y)::float8 as y, sum(x * x)::float8 as xx,
  sum(x * y)::float8 as xy, sum(y * y)::float8 as yy, sum(attempts)::int as attempts, sum(mails)::int as mails`;

/** Every case of everybody who was drawn, whatever became of it: as it was meant to be treated. */
function sumArms(db: Queryable, { mode, percent }: DrawnLots, now: DateTime): Promise<ArmSums[]> {
  return db.query<ArmSums>(
    `with cases as (
       select l.account, l.customer_id, l.arm, f.currency, f.amount::float8 as amount,
         case when f.state = 'recovered' and f.ended_at < f.failed_at + make_interval(days => ${MATURE_DAYS})
           then (f.amount - f.returned)::float8 else 0 end as back,
         f.attempts + (f.state = 'recovered')::int as attempts,
         (select count(*) from payment_retry.emails e where e.account = f.account and e.invoice_id = f.invoice_id
            and e.state = 'sent') as mails
       from payment_retry.lots l join payment_retry.failures f on f.account = l.account and f.customer_id = l.customer_id
       where l.percent = $1 and l.mode = $3 and f.failed_at between l.drawn_at - ${LATE} and coalesce(l.ended_at, 'infinity') and f.failed_at <= $2
     ), of_customers as (
       select arm, null as currency, count(*)::float8 as x, (count(*) filter (where back > 0))::float8 as y,
         sum(attempts) as attempts, sum(mails) as mails from cases group by account, customer_id, arm
       union all
       select arm, currency, sum(amount), sum(back), sum(attempts), sum(mails) from cases
       group by account, customer_id, arm, currency
     )
     select arm, currency, ${SUMS} from of_customers group by arm, currency order by currency nulls first, arm`,
    [percent, now.minus({ days: MATURE_DAYS }), mode],
  );
}
