import type { DateTime } from 'luxon';
import type { Database } from '../../../core/database/database.ts';
import type { Enqueue } from '../../../core/jobs/enqueue.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import { listOpenRuns } from '../../store/tables/backfill/backfill-runs.ts';
import { listUnfinished, toForgetJob } from '../../store/tables/forgotten.ts';
import { listEventsApart, listFullInboxes } from '../../store/tables/sync/events.ts';
import { listDirtyAccounts } from '../../store/tables/sync/outbox.ts';
import { listRereadAsked } from '../../store/tables/sync/unmapped.ts';
import type { UnfinishedWork } from '../../store/tables/unfinished-work.ts';
import { toEventJob, toInboxJob } from '../events/inbox-job.ts';

const LIMIT = 5_000;

/** Gives a job to everything recorded before `before` that has none, because a process died between row and job. */
export async function sweepSync(
  deps: { database: Database; enqueue: Enqueue<PluginQueues> },
  { now, before }: { readonly now: DateTime; readonly before: DateTime },
  unfinished: UnfinishedWork,
): Promise<void> {
  const { database, enqueue } = deps;
  if (unfinished.events) {
    const inboxes = await listFullInboxes(database, before);
    await enqueue(
      'take-events',
      inboxes.map((account) => toInboxJob(account)),
    );
    const events = await listEventsApart(database, before, LIMIT);
    await enqueue('process-event', events.map(toEventJob));
  }
  if (unfinished.undelivered) {
    const accounts = await listDirtyAccounts(database, now);
    await enqueue(
      'deliver',
      accounts.map((account) => ({ data: { account }, key: account })),
    );
  }
  if (unfinished.rereads) {
    const unmapped = await listRereadAsked(database, LIMIT);
    await enqueue(
      'reread',
      unmapped.map((data) => ({ data, key: `${data.account} ${data.kind} ${data.id}` })),
    );
  }
  if (unfinished.forgotten) {
    const forgotten = await listUnfinished(database, before, LIMIT);
    await enqueue('forget-customer', forgotten.map(toForgetJob));
  }
  if (unfinished.backfills) {
    const runs = await listOpenRuns(database);
    for (const { id: run, account, kind, months, perSecond } of runs)
      await enqueue(kind === 'verification' ? 'verify' : 'backfill', [
        { data: { account, kind, months, perSecond, run }, key: account },
      ]);
  }
}
