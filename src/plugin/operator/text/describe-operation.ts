/** What an operation came to, in sentences: those of a terminal or a page of ours, unless they are said otherwise. */
import { DateTime } from 'luxon';
import { formatCard } from '../../mails/format-card.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { Preview, Say } from '../operations/operation.ts';
import { type AnyResult, type OperationName, operationOf } from '../operations/operations.ts';
import { describePerson, money } from './describe-code.ts';
import { warnOfControlGroup } from './describe-experiment.ts';
import { describePause } from './describe-pauses.ts';
import { describeReason } from './describe-reason.ts';
import { exactMoment } from './exact-moment.ts';

export const EXACTLY: Say = {
  invoice: (id) => id,
  moment: (iso) => exactMoment(DateTime.fromISO(iso)),
  reason: (reason) => describeReason(reason),
  pause: ({ account, since, by, reason }) =>
    `PAUSED: ${describePause({ account, reason, pausedBy: by, pausedAt: DateTime.fromISO(since) })}`,
  technical: (text) => text,
  money,
  card: (card) => formatCard(card) || 'the method on file',
  person: ({ name, email }) => describePerson([name]) || describePerson([email]) || 'the customer',
};

export function describeOperation(name: OperationName, result: AnyResult, say: Say = EXACTLY): string {
  return operationOf(name).tell(result, say).join('\n');
}

/** The API's form of a preview. */
export interface ShownPreview {
  readonly will: string | null;
  readonly objection: { guard: string; reason: Reason; until?: string | undefined } | null;
  readonly controlGroup: 'stripe' | 'schedule' | null;
}

export function showPreview({ will, objection, controlGroup }: Preview): ShownPreview {
  const shown = { will: inWords(will), controlGroup: controlGroup?.against ?? null };
  if (!objection) return { ...shown, objection: null };
  const { guard, reason } = objection;
  const until = objection.until?.toUTC().toISO() ?? undefined;
  return { ...shown, objection: { guard, reason, until } };
}

const inWords = (will: Preview['will']) => (will ? [will(EXACTLY)].flat().join('\n') : null);

/** What an operation would do now, and what prevents it. */
export function describePreview({ will, objection, controlGroup }: ShownPreview): string {
  const warning = controlGroup === null ? '' : `${warnOfControlGroup(controlGroup)}.\n`;
  const plan = warning + (will === null ? '' : `${will}\n`);
  if (!objection) return `${plan}Nothing prevents it now.`;
  const { guard, reason, until } = objection;
  const when = until === undefined ? '' : `; possible from ${EXACTLY.moment(until)}`;
  return `${plan}${describeReason(reason)} (guard ${guard})${when}`;
}
