import type { JobInsert, PgBoss } from 'pg-boss';
import type { Transaction } from '../database/database.ts';
import { holdWaiting } from '../database/queued-jobs.ts';
import { carryTrace } from '../telemetry/spans.ts';
import type { Enqueue, EnqueueOptions } from './enqueue.ts';
import type { Payloads, QueueTable } from './queue-table.ts';

interface Adding<Data> {
  readonly boss: PgBoss;
  readonly schema: string;
  readonly queues: QueueTable<Data>;
}

export function createEnqueue<Data extends Payloads<Data>>({
  boss,
  schema,
  queues,
}: Adding<Data>): Enqueue<Data> {
  return async (name, jobs, tx) => {
    if (jobs.length === 0) return;
    const inserts = dropRepeated(jobs).map((job) => toInsert(job));
    if (tx && queues[name].policy === 'short') await insertOrHold({ boss, schema, name }, inserts, tx);
    else await boss.insert(name, inserts, tx ? { db: tx.queue } : undefined);
  };
}

/** pg-boss skips stored ids, but throws if a statement repeats one. */
function dropRepeated<Job extends EnqueueOptions>(jobs: readonly Job[]): Job[] {
  const seen = new Set<string>();
  return jobs.filter(({ id }) => id === undefined || (!seen.has(id) && seen.add(id)));
}

function toInsert<Data extends object>(job: EnqueueOptions & { data: Data }): JobInsert<Data> {
  return {
    data: { ...carryTrace(), ...job.data },
    ...(job.startAfter ? { startAfter: job.startAfter.toJSDate().toISOString() } : {}),
    ...(job.key ? { singletonKey: job.key } : {}),
    ...(job.id ? { id: job.id } : {}),
    ...(job.priority ? { priority: job.priority } : {}),
    ...groupOf(job.data),
  };
}

interface ShortQueue {
  readonly boss: PgBoss;
  readonly schema: string;
  readonly name: string;
}

/**
 * Adds jobs in a transaction to a queue whose waiting job with the same key replaces ours. If that job ran before our commit, it would miss our
 * work: the transaction holds it, or adds ours if it was just taken.
 */
async function insertOrHold(
  { boss, schema, name }: ShortQueue,
  inserts: readonly JobInsert[],
  tx: Transaction,
): Promise<void> {
  let left = [...inserts];
  while (left.length > 0) {
    const added = await boss.insert(name, left, { db: tx.queue, returnId: true });
    if (added?.length === left.length) return;
    const held = await holdWaiting(tx, schema, { name, keys: left.map(keyOf) });
    left = left.filter((job) => job.id === undefined && !held.has(keyOf(job)));
  }
}

const keyOf = ({ singletonKey = '' }: JobInsert) => singletonKey;

/** Group of a job: its account, or organization of the embedded service. */
function groupOf(data: object): { group?: { id: string } } {
  const { account, organization }: { account?: unknown; organization?: unknown } = data;
  const id = account ?? organization;
  return typeof id === 'string' && id !== '' ? { group: { id } } : {};
}
