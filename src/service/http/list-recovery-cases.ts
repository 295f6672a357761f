/**
 * GET /v1/recovery_cases: the cases in the order of their latest decisions. Who follows it asks for what comes after the
 * last revision read: a case that changes meanwhile comes once more, at the end, and none is missed.
 */
import type { RequestHandler } from 'express';
import { z } from 'zod';
import { toIsoSeconds } from '../../core/base/clock.ts';
import { orUnavailable } from '../../core/base/errors.ts';
import type {
  CallbackCounts,
  CaseEnd,
  RecoveryCase,
  RecoveryCasesPage,
} from '../../core/contract/recovery-cases.ts';
import type { Database } from '../../core/database/database.ts';
import { isClosingReason } from '../decide/case-snapshot.ts';
import { organizationOf } from '../keys/api-keys.ts';
import { USED_UP } from '../policy/ask-customer.ts';
import { COLLECTION_PAUSED } from '../policy/decide-by-class.ts';
import { type CaseRow, type ListedCase, listRecoveryCases } from '../store/payment-cases.ts';
import { countCallbacks } from '../store/undelivered-actions.ts';
import { describeDecisionReason } from './describe-decision-reason.ts';
import { invoiceId, MAX_PAGE_SIZE, pageSize, parseQuery, wholeNumber } from './listing-query.ts';

/** More digits are no exact number. */
const MAX_REVISION = 999_999_999_999_999;

export const casesQuery = z.strictObject({
  afterRevision: wholeNumber(0, MAX_REVISION)
    .meta({ default: 0 })
    .describe('Decided about later than this: the revision of the last case that was read.')
    .default(0),
  pageSize: pageSize.describe('Cases on a page.').default(MAX_PAGE_SIZE),
  invoiceId: invoiceId.optional(),
});

export function createCasesHandler({ database }: { database: Database }): RequestHandler {
  return async (request, response) => {
    const asked = parseQuery(casesQuery, request.query);
    response.json(await orUnavailable(readPage(database, organizationOf(response), asked)));
  };
}

/** One row more than asked for shows whether another page follows. */
async function readPage(
  database: Database,
  organization: string,
  { pageSize: size, ...asked }: z.output<typeof casesQuery>,
): Promise<RecoveryCasesPage> {
  const rows = await listRecoveryCases(database, organization, { ...asked, limit: size + 1 });
  const recoveryCases = rows.slice(0, size).map(toRecord);
  if (rows.length > size) return { recoveryCases, hasMore: true };
  return { recoveryCases, hasMore: false, callbacks: await readCallbacks(database, organization) };
}

async function readCallbacks(database: Database, organization: string): Promise<CallbackCounts> {
  const { waitingSince, ...counts } = await countCallbacks(database, organization);
  return { ...counts, ...(waitingSince === null ? {} : { waitingSince: toIsoSeconds(waitingSince) }) };
}

function toRecord(row: ListedCase): RecoveryCase {
  const end = endOf(row);
  return {
    invoiceId: row.invoiceId,
    revision: row.revision,
    state: row.state,
    reason: row.reason,
    ...(end === undefined ? {} : { end }),
    reasons: row.reasons.flatMap(describeDecisionReason),
    ...(row.reviewAt === null ? {} : { reviewAt: toIsoSeconds(row.reviewAt) }),
    isOnStaticSchedule: row.isHeldOut ?? false,
    ...(row.holdoutPercent ? { drawnPercent: row.holdoutPercent } : {}),
    openedAt: toIsoSeconds(row.openedAt),
    updatedAt: toIsoSeconds(row.updatedAt),
  };
}

/** The policy's reasons to stop. */
const ENDS: ReadonlyMap<string, CaseEnd> = new Map([
  [USED_UP, 'given_up'],
  ['the_customer_was_asked_often_enough', 'given_up'],
  ['the_customer_did_not_act', 'given_up'],
  ['blocked_by_the_merchant_or_final', 'merchant'],
  [COLLECTION_PAUSED, 'merchant'],
  ['no_failed_transaction', 'history'],
  ['older_than_the_retry_window_when_first_seen', 'history'],
]);

/** A reason that is not known here is for a person: nobody's subscription ends over it. */
export function endOf({ state, reason }: Pick<CaseRow, 'state'> & { reason: string }): CaseEnd | undefined {
  if (state === 'open') return undefined;
  return isClosingReason(reason) ? 'settled' : (ENDS.get(reason) ?? 'merchant');
}
