/** What happened to an invoice, put together by what asked for it. Pure. */
import type { InvoiceHistory } from '../../../store/reports/invoice-history.ts';
import type { HistoryEntry } from '../../text/describe-history.ts';

/** An instruction with the attempts, decisions and ends that it led to, each after its cause; or something by itself. */
export type HistoryGroup = readonly [HistoryEntry, ...HistoryEntry[]];

/** In the order of their beginnings. Entries come in the order of their times. */
export function groupHistory(
  entries: readonly HistoryEntry[],
  { actions }: Pick<InvoiceHistory, 'actions'>,
): HistoryGroup[] {
  const causes = new Map(actions.map(({ id, requestId }) => [id, requestId ?? id]));
  const groups = new Map<unknown, [HistoryEntry, ...HistoryEntry[]]>();
  for (const entry of entries) {
    const key = causeOf(entry, causes) ?? entry;
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return [...groups.values()];
}

/** The request that it follows from, else the action. */
function causeOf({ record }: HistoryEntry, causes: ReadonlyMap<string, string>): string | undefined {
  const { requestId, actionId, id, detail } = record as Record<string, unknown>;
  const details = typeof detail === 'object' && detail !== null ? (detail as Record<string, unknown>) : {};
  const action = [actionId, details.actionId, id].find((one) => typeof one === 'string' && causes.has(one));
  const cause = [requestId, details.requestId].find((one) => typeof one === 'string');
  if (typeof cause === 'string') return cause;
  return typeof action === 'string' ? causes.get(action) : undefined;
}
