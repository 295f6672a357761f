/** A customer's, or a subscription's, failed invoices. */
import { type Failure, type FailureFilter, listFailures } from '../../store/reports/money/list-failures.ts';
import type { AnswerDeps } from '../define-request.ts';

const MOST_CASES = 10;

export async function listCases({ database }: AnswerDeps, filter: FailureFilter): Promise<object[]> {
  const failures = await listFailures(database, filter, { sort: 'failed', limit: MOST_CASES });
  return failures.map(toCase);
}

function toCase(failure: Failure): object {
  const { invoiceId, state, amount, currency, failedAt, endedAt, attempts, nextKind, nextAt, reason } =
    failure;
  return { invoiceId, state, amount, currency, failedAt, endedAt, attempts, nextKind, nextAt, reason };
}
