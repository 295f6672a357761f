/** Fills a database with a merchant's year in plain SQL, in minutes: what the console's benchmark reads. */
import type { DateTime } from 'luxon';
import type { Database } from '../../src/core/database/database.ts';
import type { Need } from '../../src/plugin/store/reports/money/needs.ts';

export interface Size {
  readonly subscriptions: number;
  readonly cases: number;
}

/** A million rows take their time. */
const PATIENCE = { statementMs: 3_600_000 };

const pick = (number: string, words: readonly string[]) =>
  `(array[${words.map((word) => `'${word}'`).join(', ')}])[1 + (${number}) % ${words.length}]`;

const GIVEN =
  'Ada Bo Chen Dana Emil Fatima Gus Hana Ivo June Kofi Lena Mats Nora Omar Pia Quinn Rosa Sven Tara'.split(
    ' ',
  );
const FAMILY =
  'Adler Brown Costa Dubois Eriksen Fischer Garcia Haddad Ito Jensen Kim Lopez Meyer Novak Okafor Petrov Rossi Sato Tran Weber Young Zhang Ahmed Bauer Cohen'.split(
    ' ',
  );
const REASONS = [
  ...Array.from({ length: 5 }, () => 'insufficient_funds'),
  ...['do_not_honor', 'do_not_honor', 'generic_decline', 'generic_decline', 'expired_card', 'lost_card'],
];
const NEEDED: readonly Need[] = ['no_address', 'blocked', 'attempts_used', 'unanswered', 'disputed'];
const CURRENCIES = ['usd', 'usd', 'usd', 'eur', 'eur', 'gbp', 'jpy'];

/** One in fifty customers has several subscriptions, and of some of those several invoices failed. */
const CUSTOMER = (number: string) =>
  `'cus_' || (${number}) - case when (${number}) % 50 < 2 then (${number}) % 50 else 0 end`;
const NAME = `${pick('i * 7', GIVEN)} || ' ' || ${pick('i / 3', FAMILY)}`;
const ADDRESS = `lower(${pick('i * 7', GIVEN)} || '.' || ${pick('i / 3', FAMILY)}) || i || '@example.com'`;

/** `$1`: now. Of the cases the first are the latest; of the last month every second is still unpaid. */
const FILL = ({ subscriptions, cases }: Size): readonly string[] => [
  `insert into payment_retry.subscriptions (account, id, customer_id, status, message, version, version_source, delivered_version)
   select 'own', 'sub_' || i, ${CUSTOMER('i')}, case when i % 11 = 0 then 'canceled' else 'active' end,
     jsonb_build_object('planId', 'price_' || i % 40), at, 'event', at
   from (select i, $1::timestamptz - i * interval '20 seconds' as at from generate_series(1, ${subscriptions}) i) made`,
  `insert into payment_retry.customers select 'own', 'cus_' || i, ${NAME}, ${ADDRESS} from generate_series(1, ${cases}) i`,
  `insert into payment_retry.cards select 'own', 'pm_' || i, lpad((i % 10000)::text, 4, '0'), 'DE' from generate_series(1, ${cases}) i`,
  `insert into payment_retry.plans select 'own', 'price_' || i, 'Plan ' || i from generate_series(0, 39) i`,
  `insert into payment_retry.failures (account, invoice_id, customer_id, subscription_id, plan, currency, amount, state, cause, failed_at,
     ended_at, attempts, reason, payment_method, brand, country, next_kind, next_at, need, asked_at, words)
   select 'own', 'in_' || i, ${CUSTOMER('i')}, 'sub_' || i, 'price_' || i % 40, ${pick('i', CURRENCIES)},
     500 + i * 37 % 20000, state, case state when 'recovered' then ${pick('i', ['retry', 'retry', 'new_card', 'confirmation', 'by_itself'])} end,
     failed_at, case state when 'open' then null else least(failed_at + i % 14 * interval '1 day', $1::timestamptz) end, 1 + i % 4,
     ${pick('i', REASONS)}, 'pm_' || i, ${pick('i', ['visa', 'visa', 'mastercard', 'amex'])}, ${pick('i / 2', ['DE', 'US', 'US', 'FR', 'GB', 'BR', 'JP'])},
     case when state = 'open' and i % 3 > 0 then 'pay' end,
     case when state = 'open' and i % 3 > 0 then $1::timestamptz + i % 14 * interval '1 day' end,
     case when state = 'open' and i % 9 = 0 then ${pick('i / 9', NEEDED)} end, case when state = 'open' and i % 3 = 0 then failed_at end,
     to_tsvector('simple', ${NAME} || ' ' || replace(${ADDRESS}, '@', ' ') || ' example com in ' || i || ' cus ' || i || ' sub ' || i)
   from (select i, $1::timestamptz - (i::double precision / ${cases}) * interval '365 days' as failed_at,
           case when i < ${cases} / 12 and i % 2 = 0 then 'open' when i % 3 = 0 then 'lost' else 'recovered' end as state
         from generate_series(1, ${cases}) i) made`,
  `insert into payment_retry.invoices (account, id, customer_id, subscription_id, status, amount_remaining, currency, attempt_count, version, version_source)
   select account, invoice_id, customer_id, subscription_id, case state when 'open' then 'open' when 'lost' then 'void' else 'paid' end,
     case state when 'recovered' then 0 else amount end, currency, attempts, failed_at, 'event' from payment_retry.failures`,
  `insert into payment_retry.events (account, id, type, created_at, received_at, payload, processed_at, results)
   select account, 'evt_' || invoice_id || '_' || n, 'invoice.payment_failed', failed_at, failed_at, '{}', failed_at, '[]'
   from payment_retry.failures cross join generate_series(1, 5) n`,
  `insert into payment_retry.instructions (account, request_id, source, received_at, issued_at, type, invoice_id, subscription_id, suggestion, ideal_retry_at, body, state, handled_at)
   select account, 'req_' || invoice_id || '_' || n, 'callback', failed_at, failed_at, 'INVOICE', invoice_id, subscription_id, 'RETRY_LATER', failed_at, '{}', 'done', failed_at
   from payment_retry.failures cross join lateral generate_series(1, attempts) n`,
  `insert into payment_retry.actions (id, account, cause, reference, kind, invoice_id, customer_id, subscription_id, due_at, state, created_at, closed_at)
   select gen_random_uuid(), account, 'instruction', 'req_' || invoice_id || '_' || n, 'pay', invoice_id, customer_id, subscription_id,
     coalesce(case when n = attempts then next_at end, failed_at), case when n = attempts and next_kind = 'pay' then 'scheduled' else 'done' end,
     failed_at, case when n = attempts and next_kind = 'pay' then null else failed_at end
   from payment_retry.failures cross join lateral generate_series(1, attempts) n`,
  `insert into payment_retry.attempts (id, account, invoice_id, customer_id, subscription_id, source, amount, currency, payment_method, brand,
     fingerprint, charge_id, outcome, code, decline_code, started_at, finished_at, version, delivered_version)
   select gen_random_uuid(), account, invoice_id, customer_id, subscription_id, case n when 1 then 'stripe' else 'plugin' end, amount, currency, payment_method, brand,
     'fp_' || payment_method, 'ch_' || invoice_id || '_' || n, case when n = attempts and n > 1 and state = 'recovered' then 'paid' else 'declined' end,
     'card_declined', reason, failed_at + n * interval '1 hour', failed_at + n * interval '1 hour', failed_at, failed_at
   from payment_retry.failures cross join lateral generate_series(1, attempts) n`,
  `insert into payment_retry.emails (account, invoice_id, template, step, named, campaign, recipient, message_id, state, created_at, sent_at, subject, body_text, body_html)
   select 'own', 'in_' || i, 'card_update', '00000000-0000-4000-800' || n || '-' || lpad(i::text, 12, '0'), array['in_' || i], 'in_' || i, ${ADDRESS}, '<' || i || '@shop.example>',
     case when i % 1000 = 0 then 'refused' else 'sent' end, f.failed_at, f.failed_at, 'Please update your card', repeat('Dear customer ', 50), repeat('<p>Dear customer</p>', 100)
   from generate_series(1, ${cases}) i join payment_retry.failures f on f.invoice_id = 'in_' || i cross join lateral generate_series(0, i % 3) n`,
  `insert into payment_retry.audit (account, at, invoice_id, kind, detail)
   select 'own', failed_at, invoice_id, kind, '{}' from payment_retry.failures
   cross join (values ('instruction.scheduled'), ('attempt.declined'), ('email.sent'), ('instruction.scheduled'), ('attempt.declined')) as told (kind)`,
  // What the triggers noted meanwhile stands in the rows already.
  'truncate payment_retry.failure_changes',
];

/** Leaves a database alone that has been filled. */
export async function fillMerchantYear(database: Database, size: Size, now: DateTime): Promise<void> {
  const [found] = await database.query<{ filled: boolean }>(
    'select exists (select from payment_retry.audit) as filled',
  );
  if (found?.filled) return;
  for (const statement of FILL(size)) {
    const begun = performance.now();
    await database.transaction(
      (tx) => tx.query(statement, statement.includes('$1') ? [now.toISO()] : []),
      PATIENCE,
    );
    const [, what = statement.slice(0, 40)] =
      /(?:insert into|truncate) payment_retry\.(\w+)/.exec(statement) ?? [];
    console.error(`${what}: ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  }
}

export interface LargeTable {
  readonly name: string;
  readonly rows: number;
}

/** Analyses all tables, and says which of them have more rows than that. The sums of months are there to be read whole. */
export async function analyzeTables(database: Database, moreThan: number): Promise<LargeTable[]> {
  const tables = await database.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'payment_retry'`,
  );
  for (const { name } of tables) await database.query(`vacuum analyze payment_retry.${name}`);
  return database.query<LargeTable>(
    `select relname as name, reltuples::bigint as rows from pg_class
     where relnamespace = 'payment_retry'::regnamespace and relkind = 'r' and reltuples >= $1 and relname <> 'failure_month_sums'`,
    [moreThan],
  );
}
