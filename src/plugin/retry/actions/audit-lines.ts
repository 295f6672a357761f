import type { DateTime } from 'luxon';
import type { Clock } from '../../../core/base/clock.ts';
import type { Queryable } from '../../../core/database/database.ts';
import { actionKind } from '../../actions/action-kinds.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import {
  type AnyAction,
  closeAction,
  type StoredAction,
  type Subject,
  subjectOf,
} from '../../store/tables/retry/actions.ts';
import type { AuditLine, Obstacle } from './action-result.ts';

type AuditedAction = Subject & Pick<AnyAction, 'id' | 'account'>;

/** Records why an action ended or was postponed. */
export async function recordObjection(
  db: Queryable,
  action: AuditedAction & Pick<AnyAction, 'kind'>,
  { guard, reason, until, audit }: Obstacle,
  at: DateTime,
): Promise<void> {
  const kind = actionKind(action.kind)[until === undefined ? 'ended' : 'putOff'];
  const detail = { action: action.kind, guard, reason, until: until?.toUTC().toISO() };
  await auditAction(db, action, audit ?? { kind, detail }, at);
}

export async function auditAction(
  db: Queryable,
  action: AuditedAction,
  { kind, detail }: AuditLine,
  at: DateTime,
): Promise<void> {
  const { id, account } = action;
  await recordAudit(db, { account, at, ...subjectOf(action), kind, detail: { actionId: id, ...detail } });
}

/** Closes an action for good, with an audit entry. */
export async function endAction(
  tx: Queryable,
  id: string,
  obstacle: Omit<Obstacle, 'until'>,
  now: DateTime,
): Promise<void> {
  const ended = await closeAction(tx, id, { state: 'closed', reason: obstacle.reason }, now);
  if (ended) await recordObjection(tx, ended, obstacle, now);
}

/** Records an audit entry of an invoice without an action. */
export async function auditInvoice(
  { database, clock }: { readonly database: Queryable; readonly clock: Clock },
  { account, invoiceId }: Pick<StoredAction, 'account' | 'invoiceId'>,
  { kind, detail }: AuditLine,
): Promise<void> {
  await recordAudit(database, { account, at: clock.now(), invoiceId, kind, detail });
}
