/** One recovery action in the words of a history, as the service lists it. Pure. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import { describeSuggestion } from '../../actions/action-kinds.ts';
import type { HistoryListed } from '../../store/reports/invoice-history.ts';
import { exactMoment } from './exact-moment.ts';

export function describeListed(record: HistoryListed): string {
  const { suggestion, type, status, idealRetryAt, executedAt, problem } = record;
  const parts = [
    suggestion === null
      ? lastWords(type, 'RECOVERY_ACTION_TYPE_')
      : describeSuggestion(suggestion) + instantOf(' at ', idealRetryAt),
    lastWords(status, 'RECOVERY_ACTION_STATUS_') + instantOf(', executed at ', executedAt),
    problem === null ? '' : `not understood (${problem})`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}

const explained = z
  .object({
    reasons: z.array(z.string()).catch([]).default([]),
    statusReason: z.string().catch('').default(''),
  })
  .catch({ reasons: [], statusReason: '' });

/** The embedded service's reasons for a request, that of its time first, and for its end. Other services give none. */
export function listedReasons({ body }: HistoryListed): string[] {
  const { reasons, statusReason } = explained.parse(JSON.parse(body));
  const ended = statusReason === '' ? [] : [`ended because ${statusReason.replaceAll('_', ' ')}`];
  return [...reasons.map((sentence) => sentence.replace(/\.$/, '')), ...ended];
}

/** `RECOVERY_ACTION_STATUS_SUCCEEDED` as "succeeded". */
function lastWords(value: string | null, prefix: string): string {
  return (value ?? '').replace(prefix, '').replaceAll('_', ' ').toLowerCase();
}

function instantOf(word: string, at: DateTime | null): string {
  return at ? `${word}${exactMoment(at)}` : '';
}
