/** Deletes rows settled long ago that nothing needs, and clears received bodies, addresses and email texts of rows that stay. */
import type { DateTime } from 'luxon';
import type { Queryable, Transaction } from '../../../core/database/database.ts';

/** Limits the rows of one statement, so that its locks are short. */
export interface Portion {
  readonly before: DateTime;
  readonly limit: number;
}

/** Statements on old rows, by their age (`$1`), at most `$2` of them. */
const STATEMENTS = {
  /** Dead events keep their body for a replay. */
  eventBodies: `
    update payment_retry.events set payload = null where (account, id) in (
      select account, id from payment_retry.events
      where payload is not null and processed_at is not null and results->0->>'code' <> 'dead' and created_at < $1
      order by created_at limit $2 for update skip locked)`,
  instructionBodies: `
    update payment_retry.instructions set body = '' where (account, request_id) in (
      select account, request_id from payment_retry.instructions
      where body <> '' and state <> 'failed' and handled_at < $1
      order by handled_at limit $2 for update skip locked)`,
  /** Keeps the time of the email and its invoices. */
  emailAddresses: `
    update payment_retry.emails set recipient = '', copies = '{}', detail = null, subject = null, body_text = null, body_html = null
    where (account, step, template) in (
      select account, step, template from payment_retry.emails
      where recipient <> '' and sent_at < $1 order by sent_at limit $2 for update skip locked)`,
  /** Runs that another run of their kind followed: `status` shows the last one. */
  backfillRuns: `
    with gone as (
      delete from payment_retry.backfill_runs where id in (
        select id from payment_retry.backfill_runs r where finished_at < $1 and exists (
          select 1 from payment_retry.backfill_runs l where l.account = r.account and l.kind = r.kind and l.id > r.id)
        limit $2)
      returning id),
    drifts as (delete from payment_retry.drifts where run in (select id from gone))
    delete from payment_retry.backfill_ranges where run in (select id from gone)`,
  /** A deleted event would be recorded again if it came again, so the age is far beyond Stripe's 30 days (stripe-facts 1.9). */
  events: `
    delete from payment_retry.events where (account, id) in (
      (select account, id from payment_retry.events where payload is null and processed_at is not null and created_at < $1
       order by created_at limit $2)
      union all
      (select account, id from payment_retry.events where results->0->>'code' = 'dead' and created_at < $1
       order by processed_at, id limit $2))`,
  /** Lifted warnings; open ones stay. */
  cardWarnings: `
    delete from payment_retry.card_warnings where (account, charge_id) in (
      select account, charge_id from payment_retry.card_warnings where lifted_at < $1 limit $2)`,
} as const;

export type OldRows = keyof typeof STATEMENTS;

/** Clears or deletes a portion. Returns the number of changed rows. */
export function dropOld(db: Queryable, rows: OldRows, { before, limit }: Portion) {
  return db.count(`${STATEMENTS[rows]} returning 1 as one`, [before, limit]);
}

/** Position of the last look; a run looks at kept invoices only once. */
export interface SettledInvoice {
  readonly account: string;
  readonly id: string;
  /** PostgreSQL's own text, with all digits. */
  readonly version: string;
}

/** Invoices settled before a time of Stripe's clock, oldest first. */
export function listSettledInvoices(
  db: Queryable,
  { before, limit }: Portion,
  after: SettledInvoice | undefined,
) {
  return db.query<SettledInvoice>(
    // `invoices.version`: the plain name is the text column, which no index sorts.
    `select account, id, version::text as version from payment_retry.invoices
     where status in ('paid', 'void', 'uncollectible', 'deleted') and version < $1 and (version, account, id) > ($2, $3, $4)
     order by invoices.version, account, id limit $5`,
    [before, after?.version ?? '-infinity', after?.account ?? '', after?.id ?? '', limit],
  );
}

/**
 * Reasons to keep invoice `i`: planned work, a dispute (which changes the customer's treatment for good), a person's decision on money
 * still payable, an invoice in our hands, a later attempt, a card refused for good that has not expired (stripe-facts 5.4), and
 * the card that last paid a running subscription.
 */
const IS_NEEDED = `
  i.unmapped_reason is not null
  or coalesce(i.version <> i.delivered_version, false)
  or exists (select 1 from payment_retry.actions a where a.account = i.account and a.invoice_id = i.id
    and a.state in ('scheduled', 'running', 'undecided'))
  or exists (select 1 from payment_retry.disputes d where d.account = i.account and d.invoice_id = i.id)
  or i.status = 'uncollectible' and exists (select 1 from payment_retry.holds h
    where h.account = i.account and h.invoice_id = i.id)
  or exists (select 1 from payment_retry.takeovers t where t.account = i.account and t.invoice_id = i.id
    and t.handed_back_at is null and i.status = 'uncollectible')
  or exists (select 1 from payment_retry.attempts t where t.account = i.account and t.invoice_id = i.id and (
    t.started_at >= $3 or t.outcome is null
    or t.outcome = 'declined' and t.fingerprint is not null and coalesce(t.card_expiry >= $4, true)
      and not exists (select 1 from payment_retry.attempts l where l.account = t.account and l.fingerprint = t.fingerprint
        and l.outcome = 'paid' and l.started_at > t.started_at)
    or t.outcome = 'paid' and exists (select 1 from payment_retry.subscriptions s where s.account = t.account
        and s.id = t.subscription_id and s.status not in ('canceled', 'incomplete_expired'))
      and not exists (select 1 from payment_retry.attempts l where l.account = t.account
        and l.subscription_id = t.subscription_id and l.outcome = 'paid' and l.started_at > t.started_at)))`;

/** Order matters: an attempt is counted by its action. */
const OF_INVOICE = [
  'attempts',
  'actions',
  'emails',
  'instructions',
  'recovery_actions',
  'recovery_cases',
  'holds',
  'takeovers',
  'signals',
  'endings',
  'postponements',
  'failures',
  'failure_changes',
  'audit',
] as const;

/** Deletes the account's unneeded invoices with all their rows. Returns the number of rows. */
export async function deleteInvoices(
  tx: Transaction,
  account: string,
  ids: readonly string[],
  { before, today }: { before: DateTime; today: DateTime },
): Promise<number> {
  const found = await tx.query<{ id: string }>(
    `select i.id from payment_retry.invoices i
     where i.account = $1 and i.id = any($2::text[]) and not (${IS_NEEDED}) order by i.id for update of i skip locked`,
    [account, ids, before, today.toFormat('yyyy-MM')],
  );
  const gone = found.map(({ id }) => id);
  if (gone.length === 0) return 0;
  const payers = await tx.query<Payer>(
    `select customer_id, payment_method from payment_retry.failures where account = $1 and invoice_id = any($2::text[])
     union select customer_id, payment_method from payment_retry.attempts where account = $1 and invoice_id = any($2::text[])`,
    [account, gone],
  );
  let count = 0;
  for (const table of OF_INVOICE) count += await deleteOf(tx, table, 'invoice_id', account, gone);
  count += await deleteOf(tx, 'invoices', 'id', account, gone);
  return count + (await deletePayers(tx, account, payers));
}

interface Payer {
  customerId: string | null;
  paymentMethod: string | null;
}

/** Deletes names and cards that no failure refers to any more. */
function deletePayers(tx: Transaction, account: string, payers: readonly Payer[]) {
  const customers = payers.map(({ customerId }) => customerId);
  return tx.count(
    `with cards as (
       delete from payment_retry.cards c using unnest($2::text[], $3::text[]) as payer (customer, method)
       where c.account = $1 and c.id = payer.method and not exists (
         select 1 from payment_retry.failures f where f.account = $1 and f.customer_id = payer.customer and f.payment_method = c.id)
       returning 1),
     customers as (
       delete from payment_retry.customers c where c.account = $1 and c.id = any($2::text[]) and not exists (
         select 1 from payment_retry.failures f where f.account = $1 and f.customer_id = c.id)
       returning 1)
     select 1 as one from cards union all select 1 from customers`,
    [account, customers, payers.map(({ paymentMethod }) => paymentMethod)],
  );
}

function deleteOf(tx: Transaction, table: string, column: string, account: string, ids: readonly string[]) {
  return tx.count(
    `delete from payment_retry.${table} where account = $1 and ${column} = any($2::text[]) returning 1 as one`,
    [account, ids],
  );
}

/**
 * Deletes old entries without an invoice, or of a deleted one. `after` is an id; ids follow the order of writing, so `last` is
 * undefined once `limit` entries in a row are young.
 */
export async function deleteOldAudit(db: Queryable, { before, limit }: Portion, after: number) {
  const [row] = await db.query<{ deleted: number; last: number | null }>(
    `with looked as materialized (
       select id, account, invoice_id, at < $1 as is_old from payment_retry.audit where id > $3 order by id limit $2),
     gone as (
       delete from payment_retry.audit where id in (
         select id from looked where is_old and not exists (
           select 1 from payment_retry.invoices i where i.account = looked.account and i.id = looked.invoice_id))
       returning 1)
     select (select count(*) from gone) as deleted, (select max(id) from looked where is_old) as last`,
    [before, limit, after],
  );
  return { deleted: row?.deleted ?? 0, last: row?.last ?? undefined };
}
