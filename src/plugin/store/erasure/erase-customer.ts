/** Erases a customer's personal data from every table. Amounts, outcomes, times and Stripe's ids stay. */
import type { DateTime } from 'luxon';
import { type Database, LONG } from '../../../core/database/database.ts';
import type { CustomerKey } from '../tables/forgotten.ts';

const WORK = `(select id from payment_retry.invoices where account = $1 and customer_id = $2
  union all select id from payment_retry.subscriptions where account = $1 and customer_id = $2)`;
/** An email before a renewal has no invoice yet. */
const ABOUT = 'coalesce(invoice_id, subscription_id)';
const ATTEMPTS = `attempts.account = $1 and attempts.invoice_id in ${WORK}`;
const PERSONS = `(select $2::text union all select charge_id from payment_retry.attempts where ${ATTEMPTS} and charge_id is not null)`;
const DEAD = `results->0->>'code' = 'dead'`;
const FORGOTTEN_RESULT = `'[{"code": "customer_forgotten"}]'::jsonb`;

/** Card networks count attempts with a card for 30 days, across customers (stripe-facts 5.10). */
const IS_NEEDED = `exists (select 1 from payment_retry.forgotten f where f.account = $1 and f.customer_id = $2
  and not f.is_settled and attempts.started_at >= f.asked_at - interval '30 days')`;

const WORDS = 'payment_retry.words_of_ids(invoice_id, customer_id, subscription_id)';

/** An unprocessed event loses its body when it is processed; a dead one is never processed, so it loses it here. */
const EVENTS = `update payment_retry.events set payload = null, error = null,
    results = case when ${DEAD} then ${FORGOTTEN_RESULT} else results end
  where account = $1 and payload is not null and processed_at is not null`;

const STATEMENTS: readonly (readonly [table: string, statement: string])[] = [
  ['events', `${EVENTS} and person in ${PERSONS}`],
  [
    'attempts',
    `update payment_retry.attempts set detail = null, message = payment_retry.without_card(message),
       fingerprint = case when ${IS_NEEDED} then fingerprint end,
       card_expiry = case when ${IS_NEEDED} then card_expiry end
     where ${ATTEMPTS} and (detail is not null or message is distinct from payment_retry.without_card(message)
       or (fingerprint is not null or card_expiry is not null) and not ${IS_NEEDED})`,
  ],
  ['actions', withoutWords('actions', 'reason', ABOUT)],
  ['audit', withoutWords('audit', 'detail', ABOUT)],
  ['endings', withoutWords('endings', 'reason')],
  ['instructions', withoutWords('instructions', 'reason')],
  ['instructions', clear('instructions', "body = ''", "body <> ''")],
  [
    'recovery_actions',
    clear('recovery_actions', "body = '', problem = null", "(body <> '' or problem is not null)"),
  ],
  ['recovery_cases', clear('recovery_cases', "reasons = ''", "reasons <> ''")],
  ['holds', clear('holds', "reason = ''", "reason <> ''")],
  ['holds', 'delete from payment_retry.holds where account = $1 and invoice_id = $2'],
  ['postponements', clear('postponements', 'note = null', 'note is not null')],
  [
    'emails',
    clear(
      'emails',
      "recipient = '', copies = '{}', detail = null, subject = null, body_text = null, body_html = null, state = case state when 'sending' then 'given_up' else state end",
      "(recipient <> '' or detail is not null or subject is not null)",
      ABOUT,
    ),
  ],
  ['subscriptions', clearAnswers('subscriptions')],
  ['invoices', clearAnswers('invoices')],
  [
    'cards',
    `delete from payment_retry.cards where account = $1 and id in (
       select payment_method from payment_retry.attempts where ${ATTEMPTS}
       union all select payment_method from payment_retry.actions where account = $1 and invoice_id in ${WORK})`,
  ],
  // `words` holds the customer's name.
  [
    'failures',
    `update payment_retry.failures set words = ${WORDS}, country = null
     where account = $1 and customer_id = $2 and (country is not null or words <> ${WORDS})`,
  ],
  [
    'host_events',
    clear(
      'host_events',
      'detail = payment_retry.without_words(detail), problem = null',
      '(problem is not null or detail <> payment_retry.without_words(detail))',
      "coalesce(invoice_id, detail->>'subscription')",
    ),
  ],
  [
    'api_answers',
    `update payment_retry.api_answers set body = payment_retry.without_words(body)
     where body <> payment_retry.without_words(body) and exists (
       select 1 from (select $2::text union all select * from ${WORK} w) as named (id)
       where position('"' || named.id || '"' in body::text) > 0)`,
  ],
  ['customers', 'delete from payment_retry.customers where account = $1 and id = $2'],
];

function withoutWords(table: string, column: string, about = 'invoice_id'): string {
  return clear(
    table,
    `${column} = payment_retry.without_words(${column})`,
    `${column} is distinct from payment_retry.without_words(${column})`,
    about,
  );
}

function clear(table: string, change: string, condition: string, about = 'invoice_id'): string {
  return `update payment_retry.${table} set ${change} where account = $1 and ${about} in ${WORK} and ${condition}`;
}

function clearAnswers(table: string): string {
  return `update payment_retry.${table} set refused_answer = null, unmapped_reason = payment_retry.without_words(unmapped_reason)
    where account = $1 and customer_id = $2
      and (refused_answer is not null or unmapped_reason is distinct from payment_retry.without_words(unmapped_reason))`;
}

/** Erases a customer recorded as forgotten. Returns changed rows by table. Each statement commits alone, so an interrupted run can be repeated. */
export async function eraseCustomer(database: Database, { account, customerId }: CustomerKey) {
  const removed: Record<string, number> = {};
  for (const [table, statement] of STATEMENTS) {
    const count = await database.transaction(
      (tx) => tx.count(`${statement} returning 1 as one`, [account, customerId]),
      LONG,
    );
    if (count > 0) removed[table] = (removed[table] ?? 0) + count;
  }
  return removed;
}

/** Erases card data of customers forgotten before `before`, when no limit needs it. Returns the number of customers. */
export async function eraseOldCards(database: Database, before: DateTime, limit: number): Promise<number> {
  const due = await database.query<CustomerKey>(
    `select account, customer_id from payment_retry.forgotten where not is_settled and finished_at is not null and asked_at < $1
     order by asked_at limit $2`,
    [before, limit],
  );
  for (const { account, customerId } of due)
    await database.transaction(async (tx) => {
      await tx.query(
        `update payment_retry.attempts set fingerprint = null, card_expiry = null
         where ${ATTEMPTS} and (fingerprint is not null or card_expiry is not null)`,
        [account, customerId],
      );
      await tx.query(
        `update payment_retry.forgotten set is_settled = true where account = $1 and customer_id = $2`,
        [account, customerId],
      );
    });
  return due.length;
}
