/** Rate limits of requests to Stripe and to a remote service, shared by all processes and timed by the database's clock. */
import type { Queryable } from '../../../core/database/database.ts';

export interface TokenRequest {
  readonly key: string;
  /** Largest rate a second. */
  readonly rate: number;
  readonly wanted: number;
  /** Tokens left for more urgent requests. */
  readonly reserve: number;
}

/** Time after a refusal until the full pace is restored. */
const RECOVERY_SECONDS = 60;
const LEAST_SHARE = 0.1;

const PASSED = `greatest(0, extract(epoch from clock_timestamp() - budget.refilled_at))::float8`;
const PACE = `least($2::float8, budget.pace + $2::float8 * ${PASSED} / ${RECOVERY_SECONDS})`;
const LEVEL = `least($2::float8, budget.tokens + ${PASSED} * budget.pace)`;

const GRANT = (level: string) => `greatest(0, least($3::int, floor(${level} - $4::float8)))::int`;

/** Returns the number of granted tokens. The bucket holds one second's worth. */
export function takeTokens(db: Queryable, { key, rate, wanted, reserve }: TokenRequest) {
  return db.getValue<number>(
    `insert into payment_retry.request_budgets as budget (key, tokens, granted, refilled_at, pace)
     values ($1, $2::float8 - ${GRANT('$2::float8')}, ${GRANT('$2::float8')}, clock_timestamp(), $2::float8)
     on conflict (key) do update set tokens = ${LEVEL} - ${GRANT(LEVEL)}, granted = ${GRANT(LEVEL)},
       refilled_at = clock_timestamp(), pace = ${PACE}
     returning granted`,
    [key, rate, wanted, reserve],
  );
}

/** Halves the pace after a refusal by Stripe, once for all refusals of a second. */
export async function slowDown(db: Queryable, key: string, rate: number) {
  await db.query(
    `update payment_retry.request_budgets as budget
     set pace = greatest($2::float8 * ${LEAST_SHARE}, ${PACE} / 2), tokens = 0, refilled_at = clock_timestamp(),
         slowed_at = clock_timestamp()
     where key = $1 and (slowed_at is null or slowed_at < clock_timestamp() - interval '1 second')`,
    [key, rate],
  );
}

/** Longer than any request: slots of dead processes become free after it. */
const SLOT_SECONDS = 45;
const NOT_OVER = `(select coalesce(array_agg(slot), '{}') from unnest(budget.slots) as slot where slot > clock_timestamp())`;

/** Takes one of `most` slots for concurrent requests; undefined while all are taken. The result is for `freeSlot`. */
export function takeSlot(db: Queryable, key: string, most: number) {
  const end = `clock_timestamp() + interval '${SLOT_SECONDS} seconds'`;
  return db.findValue<string>(
    `insert into payment_retry.request_budgets as budget (key, tokens, granted, refilled_at, pace, slots)
     values ($1, 0, 0, clock_timestamp(), 0, array[${end}])
     on conflict (key) do update set slots = ${NOT_OVER}
       || greatest(${end}, (select max(slot) + interval '1 microsecond' from unnest(budget.slots) as slot))
     where cardinality(${NOT_OVER}) < $2
     returning slots[cardinality(slots)]::text as slot`,
    [key, most],
  );
}

export async function freeSlot(db: Queryable, key: string, slot: string) {
  await db.query(
    `update payment_retry.request_budgets set slots = array_remove(slots, $2::timestamptz) where key = $1`,
    [key, slot],
  );
}
