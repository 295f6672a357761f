import type { DateTime } from 'luxon';
import type { Queryable } from '../../store/database.ts';

export interface CaseRow {
  state: 'open' | 'closed';
  reason: string | null;
  decidedFor: string | null;
  reviewAt: Date | null;
  /** Null until it is drawn. */
  isHeldOut: boolean | null;
  holdoutPercent: number | null;
  holdoutSeed: number | null;
}

/** Which of these invoices have a failed transaction, and so are cases or may become one. */
export async function listFailedInvoices(
  db: Queryable,
  organization: string,
  invoiceIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ invoiceId: string }>(
    `select distinct invoice_id as "invoiceId" from retry_service.transactions
     where organization = $1 and invoice_id = any($2::text[]) and state = 'TRANSACTION_STATE_FAILED'`,
    [organization, invoiceIds],
  );
  return rows.map((row) => row.invoiceId);
}

/** The open cases of these subscriptions: one may have been canceled, paused or resumed. */
export async function listOpenCasesOf(
  db: Queryable,
  organization: string,
  subscriptionIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ invoiceId: string }>(
    `select c.invoice_id as "invoiceId"
     from retry_service.invoices i
     join retry_service.cases c on c.organization = i.organization and c.invoice_id = i.id
     where i.organization = $1 and i.subscription_id = any($2::text[]) and c.state = 'open'`,
    [organization, subscriptionIds],
  );
  return rows.map((row) => row.invoiceId);
}

export interface OverdueCase {
  organization: string;
  invoiceId: string;
  /** PostgreSQL's own text, which keeps every digit. */
  reviewAt: string;
}

/** Cases whose next decision is overdue: their job was lost, or the service was away for long. Longest overdue first. */
export async function listOverdueCases(
  db: Queryable,
  now: DateTime,
  { after, limit }: { after: OverdueCase | undefined; limit: number },
): Promise<OverdueCase[]> {
  return db.query<OverdueCase>(
    `select organization, invoice_id as "invoiceId", review_at::text as "reviewAt" from retry_service.cases
     where review_at <= $1 and (review_at, organization, invoice_id) > ($2, $3, $4)
     order by review_at, organization, invoice_id limit $5`,
    [now.toISO(), after?.reviewAt ?? '-infinity', after?.organization ?? '', after?.invoiceId ?? '', limit],
  );
}

/** Opens the case of an unpaid invoice with a failed transaction, unless there is one. */
export async function openCase(
  db: Queryable,
  organization: string,
  invoiceId: string,
  now: DateTime,
): Promise<void> {
  await db.query(
    `insert into retry_service.cases (organization, invoice_id, state, opened_at, updated_at)
     select i.organization, i.id, 'open', $3, $3 from retry_service.invoices i
     where i.organization = $1 and i.id = $2 and i.state = 'INVOICE_STATE_UNPAID'
       and exists (select 1 from retry_service.transactions t where t.organization = i.organization
                   and t.invoice_id = i.id and t.state = 'TRANSACTION_STATE_FAILED')
     on conflict (organization, invoice_id) do nothing`,
    [organization, invoiceId, now.toISO()],
  );
}

/** Takes the case for this transaction: no two decisions about one invoice are made at once. */
export async function claimCase(
  db: Queryable,
  organization: string,
  invoiceId: string,
): Promise<CaseRow | undefined> {
  const [row] = await db.query<CaseRow>(
    `select state, reason, decided_for as "decidedFor", review_at as "reviewAt", is_held_out as "isHeldOut",
            holdout_percent as "holdoutPercent", holdout_seed as "holdoutSeed" from retry_service.cases
     where organization = $1 and invoice_id = $2 for update`,
    [organization, invoiceId],
  );
  return row;
}

export interface CaseUpdate {
  state: CaseRow['state'];
  reason: string;
  decidedFor: string | null;
  reviewAt: DateTime | undefined;
  /** Sentences for an operator. */
  reasons: readonly string[];
  /** Kept from the first time that it is given. */
  draw?: { isHeldOut: boolean; percent: number; seed: number } | undefined;
}

/** To be called under `lockActionOrder`: later decisions then become visible later, and have higher revisions. */
export async function updateCase(
  db: Queryable,
  organization: string,
  invoiceId: string,
  change: CaseUpdate & { now: DateTime },
): Promise<void> {
  await db.query(
    `update retry_service.cases
     set state = $3, reason = $4, decided_for = $5, review_at = $6, updated_at = $7, reasons = $8,
         is_held_out = coalesce(is_held_out, $9), holdout_percent = coalesce(holdout_percent, $10),
         holdout_seed = coalesce(holdout_seed, $11),
         revision = (select coalesce(max(revision), 0) + 1 from retry_service.cases where organization = $1)
     where organization = $1 and invoice_id = $2`,
    [
      organization,
      invoiceId,
      change.state,
      change.reason,
      change.decidedFor,
      change.reviewAt?.toISO() ?? null,
      change.now.toISO(),
      change.reasons.join('\n'),
      change.draw?.isHeldOut ?? null,
      change.draw?.percent ?? null,
      change.draw?.seed ?? null,
    ],
  );
}
