/** Records events while Stripe waits for the answer, without long waits for other sessions' locks. */
import { randomBytes } from 'node:crypto';
import { DateTime } from 'luxon';
import { DatabaseBusyError, StoreUnavailableError } from '../../../../core/base/errors.ts';
import type { Database, Queryable } from '../../../../core/database/database.ts';
import { PROMPT_WAITS } from '../../../../core/database/session-settings.ts';
import { type EventKey, type NewEvent, recordEvents } from './events.ts';

/**
 * One statement, for a sender that waits for the answer. Rejects with StoreUnavailableError where nothing can be recorded at all, because
 * the table is locked; with DatabaseBusyError where one of these rows is in the hands of another session, which is the fault of that one.
 */
export function recordPromptly(database: Database, events: readonly NewEvent[]): Promise<EventKey[]> {
  const prompt: Queryable = { ...database, query: (text, params) => database.query(text, params, 'prompt') };
  return recordEvents(prompt, events).catch((error) => {
    if (error instanceof DatabaseBusyError) return recordPatiently(database, events, error);
    throw error;
  });
}

const PATIENT_MS = 2_000;

/** Finds the lock: the table may be free soon, and so may the row of a single event. */
async function recordPatiently(database: Database, events: readonly NewEvent[], busy: DatabaseBusyError) {
  let isOpen = false;
  const record = (tx: Queryable) => {
    isOpen = true;
    if (events.length > 1) throw busy;
    return recordEvents(tx, events);
  };
  try {
    return await database.transaction(record, {
      statementMs: PROMPT_WAITS.statementMs,
      opening: entry(PATIENT_MS),
    });
  } catch (error) {
    throw isOpen ? error : new StoreUnavailableError(error);
  }
}

/** Waits at most this long for the table. */
const entry = (ms: number) => [
  `set local lock_timeout = ${ms}`,
  'lock table payment_retry.events in row exclusive mode',
];

/** Rejects unless an event of usual size can be recorded, which is rolled back, and a row of this process committed. */
export async function checkWrites(database: Database, processId: number | undefined) {
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

/** Has the size of a compressed invoice event. */
function createProbe(processId = 0): NewEvent {
  const at = DateTime.utc(2000);
  const payload = JSON.stringify({ probe: randomBytes(2_000).toString('base64') });
  return { account: '*', id: `probe_${processId}`, type: 'probe', createdAt: at, receivedAt: at, payload };
}
