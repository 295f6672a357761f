/** The statement of the listing of cases: those that were decided about, in the order of their latest decisions. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import { type DecisionReason, readDecisionReasons } from '../../reasons/decision-reason.ts';
import type { CaseRow } from '../payment-cases.ts';

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
