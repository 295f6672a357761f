/** One recovery action in the words of a history, as the service lists it. Pure. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import { describeSuggestion, findInstructed } from '../../actions/action-kinds.ts';
import type { HistoryListed } from '../../store/reports/invoice-history.ts';
import { exactMoment } from './exact-moment.ts';

export function describeListed(record: HistoryListed): string {
  const { suggestion, type, status, idealRetryAt, executedAt, problem } = record;
  const parts = [
    suggestion === null
      ? lastWords(type, 'RECOVERY_ACTION_TYPE_')
      : describeSuggestion(suggestion) + instantOf(' at ', idealRetryAt),
    ...(isOfEmail(suggestion)
      ? []
      : [
          lastWords(status, 'RECOVERY_ACTION_STATUS_') + instantOf(', executed at ', executedAt),
          ...listedReasons(record),
        ]),
    problem === null ? '' : `not understood (${problem})`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}

/** An email's outcome has an entry of its own: the service does not know it. */
function isOfEmail(suggestion: string | null): boolean {
  const kind = suggestion === null ? undefined : findInstructed(suggestion);
  return kind !== undefined && kind !== 'pay';
}

const explained = z
  .object({
    reasons: z.array(z.string()).catch([]).default([]),
    statusReason: z.string().catch('').default(''),
  })
  .catch({ reasons: [], statusReason: '' });

/** The embedded service's reasons for a request and for its end. Other services give none. */
function listedReasons({ body }: HistoryListed): string[] {
  const { reasons, statusReason } = explained.parse(JSON.parse(body));
  const ended = statusReason === '' ? [] : [`ended because ${statusReason.replaceAll('_', ' ')}`];
  const plan = reasons.map((sentence) => sentence.replace(/\.$/, '')).join('; ');
  return [...ended, ...(plan === '' ? [] : [`its plan: ${plan}`])];
}

/** `RECOVERY_ACTION_STATUS_SUCCEEDED` as "succeeded". */
function lastWords(value: string | null, prefix: string): string {
  return (value ?? '').replace(prefix, '').replaceAll('_', ' ').toLowerCase();
}

export function instantOf(word: string, at: DateTime | null): string {
  return at ? `${word}${exactMoment(at)}` : '';
}
