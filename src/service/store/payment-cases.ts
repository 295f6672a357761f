import type { DateTime } from 'luxon';
import type { Queryable } from '../../core/database/database.ts';
import { type DecisionReason, readDecisionReasons } from '../reasons/decision-reason.ts';

export interface CaseRow {
  invoiceId: string;
  state: 'open' | 'closed';
  reason: string | null;
  decidedFor: string | null;
  heardOf: string | null;
  reviewAt: DateTime<true> | null;
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
  return db.listValues<string>(
    `select distinct invoice_id from retry_service.transactions
     where organization = $1 and invoice_id = any($2::text[]) and state = 'TRANSACTION_STATE_FAILED'`,
    [organization, invoiceIds],
  );
}

/** The open cases of these subscriptions, one of which may have been paused, or of customers, of whom one card tells all invoices. */
export async function listOpenCasesOf(
  db: Queryable,
  organization: string,
  { kind, ids }: { kind: 'subscription' | 'customer'; ids: readonly string[] },
): Promise<string[]> {
  return db.listValues<string>(
    `select c.invoice_id
     from retry_service.invoices i
     join retry_service.cases c on c.organization = i.organization and c.invoice_id = i.id
     where i.organization = $1 and i.${kind}_id = any($2::text[]) and c.state = 'open'`,
    [organization, ids],
  );
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
    // `cases.review_at`: the plain name would be the text's, which no index sorts.
    `select organization, invoice_id, review_at::text as review_at from retry_service.cases
     where review_at <= $1 and (review_at, organization, invoice_id) > ($2, $3, $4)
     order by cases.review_at, organization, invoice_id limit $5`,
    [now, after?.reviewAt ?? '-infinity', after?.organization ?? '', after?.invoiceId ?? '', limit],
  );
}

/** Opens the cases of those invoices that are unpaid and have a failed transaction, unless they are cases already. */
export async function openCases(
  db: Queryable,
  organization: string,
  invoiceIds: readonly string[],
  now: DateTime,
): Promise<void> {
  await db.query(
    `insert into retry_service.cases (organization, invoice_id, state, opened_at, updated_at)
     select i.organization, i.id, 'open', $3, $3 from retry_service.invoices i
     where i.organization = $1 and i.id = any($2::text[]) and i.state = 'INVOICE_STATE_UNPAID'
       and exists (select 1 from retry_service.transactions t where t.organization = i.organization
                   and t.invoice_id = i.id and t.state = 'TRANSACTION_STATE_FAILED')
     order by i.id
     on conflict (organization, invoice_id) do nothing`,
    [organization, invoiceIds, now],
  );
}

/** Locks the cases for this transaction: no two decisions about one invoice run in parallel. Sorted to avoid deadlocks. */
export async function claimCases(
  db: Queryable,
  organization: string,
  invoiceIds: readonly string[],
): Promise<CaseRow[]> {
  return db.query<CaseRow>(
    `select invoice_id, state, reason, decided_for, heard_of, review_at,
            is_held_out, holdout_percent, holdout_seed
     from retry_service.cases
     where organization = $1 and invoice_id = any($2::text[]) order by invoice_id for update`,
    [organization, invoiceIds],
  );
}

export interface CaseUpdate {
  readonly invoiceId: string;
  readonly state: CaseRow['state'];
  readonly reason: string;
  readonly decidedFor: string | null;
  /** Left out, as before. */
  readonly heardOf?: string | undefined;
  readonly reviewAt?: DateTime | undefined;
  readonly reasons: readonly DecisionReason[];
  /** Kept from the first time that it is given. */
  readonly draw?: { isHeldOut: boolean; percent: number; seed: number } | undefined;
}

/** Requires `lockActionOrder`: later decisions then become visible later, with higher revisions. */
export async function updateCases(
  db: Queryable,
  organization: string,
  updates: readonly CaseUpdate[],
  now: DateTime,
): Promise<void> {
  const rows = updates.map(({ draw, ...update }, index) => ({
    ...update,
    place: index + 1,
    ...draw,
  }));
  await db.query(
    `update retry_service.cases c
     set state = u.state, reason = u.reason, decided_for = u."decidedFor", review_at = u."reviewAt", updated_at = $3,
         reasons = u.reasons, heard_of = coalesce(u."heardOf", c.heard_of), is_held_out = coalesce(c.is_held_out, u."isHeldOut"),
         holdout_percent = coalesce(c.holdout_percent, u.percent), holdout_seed = coalesce(c.holdout_seed, u.seed),
         revision = latest.revision + u.place
     from (select coalesce(max(revision), 0) as revision from retry_service.cases where organization = $1) latest,
       json_to_recordset($2::json) as u("invoiceId" text, state text, reason text, "decidedFor" text, "heardOf" text,
         "reviewAt" timestamptz, reasons jsonb, "isHeldOut" boolean, percent integer, seed integer,
         place integer)
     where c.organization = $1 and c.invoice_id = u."invoiceId"`,
    [organization, JSON.stringify(rows), now],
  );
}

export interface ListedCase extends Pick<CaseRow, 'state' | 'reviewAt' | 'isHeldOut' | 'holdoutPercent'> {
  invoiceId: string;
  revision: number;
  reason: string;
  reasons: readonly DecisionReason[];
  openedAt: DateTime<true>;
  updatedAt: DateTime<true>;
}

export interface CasesRequest {
  afterRevision: number;
  invoiceId?: string | undefined;
  limit: number;
}

/** The listing of cases: those that were decided about, in the order of their latest decisions. */
export async function listRecoveryCases(
  db: Queryable,
  organization: string,
  { afterRevision, invoiceId, limit }: CasesRequest,
): Promise<ListedCase[]> {
  const rows = await db.query<ListedCase>(
    `select invoice_id, revision, state, reason, reasons, review_at,
            is_held_out, holdout_percent, opened_at, updated_at
     from retry_service.cases
     where organization = $1 and revision > $2 ${invoiceId === undefined ? '' : 'and invoice_id = $4'}
     order by revision limit $3`,
    [organization, afterRevision, limit, ...(invoiceId === undefined ? [] : [invoiceId])],
  );
  return rows.map((row) => ({ ...row, reasons: readDecisionReasons(row.reasons) }));
}
