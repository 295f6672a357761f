import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';

const TURN = 'inbox-turn';
const NOBODY = '';
/** A turn is renewed each second; an older one belongs to a hung or dead process. */
const LASTS = `interval '5 seconds'`;

export interface InboxTurn {
  readonly account: string;
  /** Number of the process. */
  readonly process: number;
}

/**
 * Takes or renews the turn to empty an account's inbox; false while another process has it. It only saves duplicate work: `lockInbox`
 * is the lock. A turn in the future was taken by a clock that was ahead.
 */
export function takeInboxTurn(db: Queryable, { account, process }: InboxTurn, now: DateTime) {
  return db.has(
    `insert into payment_retry.cursors as turn (account, name, value, updated_at) values ($1, $2, $3, $4)
     on conflict (account, name) do update set value = excluded.value, updated_at = excluded.updated_at
     where turn.value in ('${NOBODY}', excluded.value)
       or turn.updated_at not between excluded.updated_at - ${LASTS} and excluded.updated_at + interval '1 minute'
     returning 1`,
    [account, TURN, `${process}`, now],
  );
}

/** Ends the turn, unless another process has it. */
export async function leaveInboxTurn(db: Queryable, { account, process }: InboxTurn) {
  await db.query(
    `update payment_retry.cursors set value = '${NOBODY}' where account = $1 and name = $2 and value = $3`,
    [account, TURN, `${process}`],
  );
}
