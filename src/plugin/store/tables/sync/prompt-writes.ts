/** Events are recorded while Stripe waits for the answer, so that no other session's lock holds them for long. */
import { randomBytes } from 'node:crypto';
import { DateTime } from 'luxon';
import { StoreUnavailableError } from '../../../../core/base/errors.ts';
import type { Database, Queryable } from '../../../../core/database/database.ts';
import { type EventKey, type NewEvent, recordEvents } from './events.ts';

/**
 * For a sender that waits for the answer. Rejects with StoreUnavailableError where nothing can be recorded at all, because the table is
 * locked; with DatabaseBusyError where one of these rows is in the hands of another session, which is the fault of that one.
 */
export async function recordPromptly(database: Database, events: readonly NewEvent[]): Promise<EventKey[]> {
  // Nobody else is at work on it, so one message is enough.
  if (database.kind === 'embedded') return recordEvents(database, events);
  let isOpen = false;
  const record = (tx: Queryable) => {
    isOpen = true;
    return recordEvents(tx, events);
  };
  try {
    return await database.transaction(record, {
      statementMs: PROMPT_MS.statement,
      opening: [
        ...entry(PROMPT_MS.table),
        `set local lock_timeout = ${events.length > 1 ? PROMPT_MS.row : PROMPT_MS.alone}`,
      ],
    });
  } catch (error) {
    throw isOpen ? error : new StoreUnavailableError(error);
  }
}

/** Stripe gives up after some ten seconds, and sends again later. Rows that wait with others do so for a moment alone. */
const PROMPT_MS = { statement: 8_000, table: 2_000, row: 200, alone: 2_000 };

/** Waits for so long, and no longer, until events can be recorded. */
const entry = (ms: number) => [
  `set local lock_timeout = ${ms}`,
  'lock table payment_retry.events in row exclusive mode',
];

/** Rejects unless an event of usual size can be recorded now, which is taken back, and what this process writes is committed. */
export async function checkWrites(database: Database, processId: number | undefined): Promise<void> {
  await database.transaction(
    async (tx) => {
      await tx.query('savepoint probe');
      await recordEvents(tx, [createProbe(processId)]);
      await tx.query('rollback to savepoint probe');
      await tx.query('update payment_retry.processes set started_at = started_at where id = $1', [processId]);
    },
    { statementMs: 5_000, opening: entry(1_000) },
  );
}

/** Its size is what an invoice's event has once it is compressed. */
function createProbe(processId = 0): NewEvent {
  const at = DateTime.utc(2000);
  const payload = JSON.stringify({ probe: randomBytes(2_000).toString('base64') });
  return { account: '*', id: `probe_${processId}`, type: 'probe', createdAt: at, receivedAt: at, payload };
}
