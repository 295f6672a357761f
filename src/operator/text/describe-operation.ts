/** What an operation came to, in sentences: those of a terminal or a page of ours, unless they are said otherwise. */
import { DateTime } from 'luxon';
import { formatCard } from '../../email/format-card.ts';
import type { Say } from '../operations/operation.ts';
import { type AnyResult, type OperationName, operationOf } from '../operations/operations.ts';
import { describePerson, money } from './describe-code.ts';
import { describePause } from './describe-pauses.ts';
import { describeReason } from './describe-reason.ts';
import { exactMoment } from './exact-moment.ts';

export const EXACTLY: Say = {
  invoice: (id) => id,
  moment: (iso) => exactMoment(DateTime.fromISO(iso).toJSDate()),
  reason: (reason) => describeReason(reason),
  pause: ({ account, since, by, why }) =>
    `PAUSED: ${describePause({ account, reason: why, pausedBy: by, pausedAt: DateTime.fromISO(since).toJSDate() })}`,
  technical: (text) => text,
  money,
  card: (card) => formatCard(card) || 'the method on file',
  person: ({ name, email }) => describePerson([name]) || describePerson([email]) || 'the customer',
};

export function describeOperation(name: OperationName, result: AnyResult, say: Say = EXACTLY): string {
  return operationOf(name).tell(result, say).join('\n');
}
