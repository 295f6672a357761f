/** Events are recorded while Stripe waits for the answer, so that no other session's lock holds them for long. */
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

/** Rejects unless events can be recorded now, and what this process writes is committed. */
export async function checkWrites(database: Database, processId: number | undefined): Promise<void> {
  await database.transaction(
    (tx) => tx.query('update payment_retry.processes set started_at = started_at where id = $1', [processId]),
    { statementMs: 5_000, opening: entry(1_000) },
  );
}
