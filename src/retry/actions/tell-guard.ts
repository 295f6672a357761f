import type { DateTime } from 'luxon';
import type { Queryable } from '../../store/engine/database.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import { type ActionKind, closeAction, type StoredAction } from '../../store/tables/retry/actions.ts';
import type { RetryDeps } from './retry-deps.ts';

export interface Objection {
  /** The name of what stood against the action. */
  readonly guard: string;
  readonly reason: string;
  /** When it is looked at again; without it, it ended. */
  readonly until?: DateTime;
}

const OF_MAILS = { ended: 'email.withheld', putOff: 'email.delayed' };

/** What the audit calls it. */
const KINDS: Readonly<Record<ActionKind, { ended: string; putOff: string }>> = {
  pay: { ended: 'guard.stopped', putOff: 'guard.postponed' },
  card_update_email: OF_MAILS,
  confirm_payment_email: OF_MAILS,
  end_dunning: { ended: 'dunning.not_ended', putOff: 'dunning.postponed' },
};

/** Writes down by what an action was ended or put off, and why. */
export async function tellGuard(
  db: Queryable,
  action: Pick<StoredAction, 'account' | 'invoiceId' | 'kind'>,
  { guard, reason, until }: Objection,
  at: DateTime,
): Promise<void> {
  const { account, invoiceId } = action;
  const kind = KINDS[action.kind][until === undefined ? 'ended' : 'putOff'];
  const detail = { action: action.kind, guard, reason, until: until?.toUTC().toISO() };
  await recordAudit(db, { account, at, invoiceId, kind, detail });
}

/** Closes an action for good, with the line in its story that says by what, unless that is told already. */
export async function endAction(
  { database, clock }: Pick<RetryDeps, 'database' | 'clock'>,
  id: string,
  { reason, ...told }: { reason: string } & ({ guard: string } | { isTold: true }),
): Promise<void> {
  const now = clock.now();
  await database.transaction(async (tx) => {
    const ended = await closeAction(tx, id, { state: 'closed', reason }, now);
    if (ended && 'guard' in told) await tellGuard(tx, ended, { guard: told.guard, reason }, now);
  });
}
