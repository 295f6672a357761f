import type { DateTime } from 'luxon';
import type { Queryable, Transaction } from '../../core/database/database.ts';

export interface ReceiverState {
  failures: number;
  /** The instruction that failed last. */
  lastFailed: string;
  lastAnswer: string;
  failingSince: DateTime;
  pauseSeconds: number;
  /** Null: it may be called. */
  openUntil: DateTime | null;
  /** One instruction tries, and has until then to come back. */
  probeUntil: DateTime | null;
}

const COLUMNS = `failures, last_failed, last_answer,
  failing_since, pause_seconds, open_until,
  probe_until`;

/** Undefined while it answers. */
export async function findReceiver(db: Queryable, address: string): Promise<ReceiverState | undefined> {
  return db.find<ReceiverState>(
    `select ${COLUMNS} from retry_service.callback_receivers where address = $1`,
    [address],
  );
}

/** The same, held until the transaction ends: no two failures are counted as one, and one instruction probes. */
export async function claimReceiver(tx: Transaction, address: string): Promise<ReceiverState | undefined> {
  await tx.query('select pg_advisory_xact_lock(hashtext($1))', [`retry_service.receiver ${address}`]);
  return findReceiver(tx, address);
}

export async function saveReceiver(db: Queryable, address: string, state: ReceiverState): Promise<void> {
  await db.query(
    `insert into retry_service.callback_receivers
       (address, failures, last_failed, last_answer, failing_since, pause_seconds, open_until, probe_until)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (address) do update
     set failures = excluded.failures, last_failed = excluded.last_failed, last_answer = excluded.last_answer,
         failing_since = excluded.failing_since, pause_seconds = excluded.pause_seconds,
         open_until = excluded.open_until, probe_until = excluded.probe_until`,
    [
      address,
      state.failures,
      state.lastFailed,
      state.lastAnswer,
      state.failingSince,
      state.pauseSeconds,
      state.openUntil,
      state.probeUntil,
    ],
  );
}

/** It answers. True if it was left alone until now. */
export async function forgetReceiver(db: Queryable, address: string): Promise<boolean> {
  const isOpen = await db.findValue<boolean>(
    `delete from retry_service.callback_receivers where address = $1 returning open_until is not null`,
    [address],
  );
  return isOpen ?? false;
}

export interface SilentReceiver extends ReceiverState {
  address: string;
}

export async function listSilentReceivers(db: Queryable): Promise<SilentReceiver[]> {
  return db.query<SilentReceiver>(
    `select address, ${COLUMNS} from retry_service.callback_receivers
     where open_until is not null order by failing_since`,
  );
}

/** Lets all receivers be tried again immediately. */
export async function forgetReceivers(db: Queryable): Promise<void> {
  await db.query('delete from retry_service.callback_receivers');
}
