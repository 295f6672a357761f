import type { DateTime } from 'luxon';
import type { Enqueue } from '../jobs/jobs.ts';
import type { PluginQueues } from '../jobs/queues.ts';
import { stableUuid } from '../stable-uuid.ts';
import { listOverdueActions } from '../store/actions.ts';
import type { Database } from '../store/database.ts';
import { listUnhandledInstructions } from '../store/instructions.ts';

const LIMIT = 1_000;

/** Gives a job to what should have been done before `before` and was not, because a process died at the wrong moment. */
export async function sweepRetry(
  deps: { database: Database; enqueue: Enqueue<PluginQueues> },
  before: DateTime,
): Promise<void> {
  const instructions = await listUnhandledInstructions(deps.database, before, LIMIT);
  await deps.enqueue(
    'schedule-instruction',
    instructions.map((data) => ({ id: jobIdFor(`${data.account} ${data.requestId}`, before), data })),
  );
  const actions = await listOverdueActions(deps.database, before, LIMIT);
  await deps.enqueue(
    'execute-action',
    actions.map((actionId) => ({ id: jobIdFor(actionId, before), data: { actionId } })),
  );
}

const SLOT_MINUTES = 10;

/** One extra job for each in ten minutes: while something is away for hours, sweeps must not pile up jobs. */
function jobIdFor(what: string, at: DateTime): string {
  return stableUuid(`${what} ${Math.floor(at.toMillis() / (SLOT_MINUTES * 60_000))}`);
}
