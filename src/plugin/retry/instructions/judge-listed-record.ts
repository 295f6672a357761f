import { DateTime } from 'luxon';
import type { ListedRecord } from '../../../core/contract/listed-record.ts';
import type { JudgedRecord, ListedFate } from '../../store/tables/retry/listed-actions.ts';

/** Last words of final statuses. Unknown statuses count as open. */
const OVER =
  /^(SUCCE(EDED|SS)|FAILED|CANCELL?ED|EXPIRED|EXECUTED|COMPLETED|DONE|SKIPPED|SUPERSEDED|REPLACED|REJECTED|ABORTED)$/;

/**
 * Whether a listed record is an instruction to follow (stripe-facts 12.2): it has an invoice, a suggestion and a time. Those past when
 * the account was connected are history, which may cover years.
 */
export function judgeListedRecord(record: ListedRecord, startedAt: DateTime): JudgedRecord {
  return { ...record, fate: judge(record, startedAt) };
}

function judge(record: ListedRecord, startedAt: DateTime): ListedFate {
  const { invoiceId, suggestion, idealRetryTime, createdAt } = record;
  if (record.problem !== undefined) return 'unreadable';
  if (invoiceId === undefined || suggestion === undefined || idealRetryTime === undefined) return 'history';
  if (isOver(record)) return 'history';
  const wasBefore = (iso: string) => DateTime.fromISO(iso) < startedAt;
  return wasBefore(idealRetryTime) && wasBefore(createdAt ?? idealRetryTime) ? 'history' : 'waiting';
}

function isOver({ status, executedAt }: ListedRecord): boolean {
  return executedAt !== undefined || OVER.test(status?.split('_').at(-1) ?? '');
}
