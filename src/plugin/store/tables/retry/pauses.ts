/** The kill switch: pauses of payments and emails by account, with reason and person. */
import type { DateTime } from 'luxon';
import type { Queryable, Transaction } from '../../../../core/database/database.ts';
import { recordAudit } from '../audit.ts';

/** All accounts, including future ones. */
export const ALL_ACCOUNTS = '*';

/** Replaces a person's name: `connect` ends only pauses made by `disconnect`. */
export const BY_DISCONNECT = 'disconnect';

export interface Pause {
  /** An account id, or `*`. */
  account: string;
  reason: string;
  pausedBy: string;
  pausedAt: DateTime;
}

/** Condition on a table with an `account` column. */
export const isPaused = (table: string): string =>
  `exists (select 1 from payment_retry.pauses where pauses.account in (${table}.account, '${ALL_ACCOUNTS}'))`;

export interface Switching {
  account: string;
  reason: string;
  by: string;
  /** The person's way: console, command and so on. */
  via?: string;
  at: DateTime;
}

/** Returns the audit entry's id; undefined if already paused: the first reason stays. */
export async function pauseEffects(tx: Queryable, { account, reason, by, via, at }: Switching) {
  const rows = await tx.query(
    `insert into payment_retry.pauses (account, reason, paused_by, paused_at) values ($1, $2, $3, $4)
     on conflict (account) do nothing returning account`,
    [account, reason, by, at],
  );
  if (rows.length === 0) return undefined;
  const detail = { reason, by, via };
  return recordAudit(tx, { account, at, invoiceId: undefined, kind: 'effects.paused', detail });
}

/** Returns the audit entry's id; undefined if nothing was paused. */
export async function resumeEffects(tx: Transaction, { account, reason, by, via, at }: Switching) {
  const [ended] = await tx.query<Pause>(
    `delete from payment_retry.pauses where account = $1 returning account, reason, paused_by, paused_at`,
    [account],
  );
  if (!ended) return undefined;
  await forgetCharges(tx);
  const detail = { reason, by, via, pausedAt: ended.pausedAt.toISO(), pausedFor: ended.reason };
  return recordAudit(tx, { account, at, invoiceId: undefined, kind: 'effects.resumed', detail });
}

/** The pause of all accounts comes first. */
export function listPauses(db: Queryable) {
  return db.query<Pause>(
    `select account, reason, paused_by, paused_at from payment_retry.pauses
     order by account <> '${ALL_ACCOUNTS}', account`,
  );
}

/** The pause in force for an account. */
export async function findPause(db: Queryable, account: string): Promise<Pause | undefined> {
  const pauses = await listPauses(db);
  return pauses.find((pause) => pause.account === ALL_ACCOUNTS || pause.account === account);
}

export interface PausedWork extends Pause {
  /** Due payments and emails that wait for its end. */
  waiting: number;
}

export function listPausedWork(db: Queryable, now: DateTime) {
  return db.query<PausedWork>(
    `select account, reason, paused_by, paused_at, (
       select count(*) from payment_retry.actions
       where state = 'scheduled' and due_at <= $1 and pauses.account in (actions.account, '${ALL_ACCOUNTS}')) as waiting
     from payment_retry.pauses order by account <> '${ALL_ACCOUNTS}', account`,
    [now],
  );
}

/** Counts a new charge and returns its minute's total of all processes. */
export async function countCharge(tx: Queryable, now: DateTime): Promise<number> {
  const minute = now.startOf('minute');
  const charges = await tx.getValue<number>(
    `insert into payment_retry.charge_minutes (minute, charges) values ($1, 1)
     on conflict (minute) do update set charges = charge_minutes.charges + 1 returning charges`,
    [minute],
  );
  if (charges === 1)
    await tx.query(`delete from payment_retry.charge_minutes where minute < $1`, [
      minute.minus({ hours: 1 }),
    ]);
  return charges;
}

/** Restarts the count after a pause. */
export async function forgetCharges(tx: Queryable) {
  await tx.query(`delete from payment_retry.charge_minutes`);
}
