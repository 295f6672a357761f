import type { DateTime } from 'luxon';
import type { Enqueue } from '../../jobs/enqueue.ts';
import type { PluginQueues } from '../../jobs/plugin-queues.ts';
import type { Database } from '../../store/engine/database.ts';
import { listOpenRuns } from '../../store/tables/backfill/backfill-runs.ts';
import { listUnfinished, toForgetJob } from '../../store/tables/forgotten.ts';
import { listEventsApart, listFullInboxes } from '../../store/tables/sync/events.ts';
import { listDirtyAccounts } from '../../store/tables/sync/outbox.ts';
import { listRereadAsked } from '../../store/tables/sync/unmapped.ts';
import { toEventJob, toInboxJob } from './inbox-job.ts';

const LIMIT = 5_000;

/** Gives a job to everything recorded before `before` that has none, because a process died between row and job. */
export async function sweepSync(
  deps: { database: Database; enqueue: Enqueue<PluginQueues> },
  before: DateTime,
): Promise<void> {
  const inboxes = await listFullInboxes(deps.database, before);
  await deps.enqueue(
    'take-events',
    inboxes.map((account) => toInboxJob(account)),
  );
  const events = await listEventsApart(deps.database, before, LIMIT);
  await deps.enqueue('process-event', events.map(toEventJob));
  const accounts = await listDirtyAccounts(deps.database);
  await deps.enqueue(
    'deliver',
    accounts.map((account) => ({ data: { account }, key: account })),
  );
  const unmapped = await listRereadAsked(deps.database, LIMIT);
  await deps.enqueue(
    'reread',
    unmapped.map((data) => ({ data, key: `${data.account} ${data.kind} ${data.id}` })),
  );
  const forgotten = await listUnfinished(deps.database, before, LIMIT);
  await deps.enqueue('forget-customer', forgotten.map(toForgetJob));
  const runs = await listOpenRuns(deps.database);
  await deps.enqueue(
    'backfill',
    runs.map(({ id: run, account, kind, months, perSecond }) => ({
      data: { account, kind, months, perSecond, run },
      key: account,
    })),
  );
}
