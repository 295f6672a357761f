/** How a job is written for pg-boss. */
import type { JobInsert, PgBoss } from 'pg-boss';
import type { Transaction } from '../store/engine/database.ts';
import { holdWaiting } from '../store/engine/queued-jobs.ts';
import { carryTrace } from '../telemetry/spans.ts';
import type { EnqueueOptions } from './enqueue.ts';

/** pg-boss leaves out an id that is stored, but throws if one statement names it twice. */
export function dropRepeated<Job extends EnqueueOptions>(jobs: readonly Job[]): Job[] {
  const seen = new Set<string>();
  return jobs.filter(({ id }) => id === undefined || (!seen.has(id) && seen.add(id)));
}

export function toInsert<Data extends object>(job: EnqueueOptions & { data: Data }): JobInsert<Data> {
  return {
    data: { ...carryTrace(), ...job.data },
    ...(job.startAfter ? { startAfter: job.startAfter.toJSDate() } : {}),
    ...(job.key ? { singletonKey: job.key } : {}),
    ...(job.id ? { id: job.id } : {}),
    ...groupOf(job.data),
  };
}

interface ShortQueue {
  readonly boss: PgBoss;
  readonly schema: string;
  readonly name: string;
}

/**
 * In a transaction, into a queue where one that waits with the same key stands for ours. Taken before our commit, it would find
 * nothing, and no other would come: so the transaction holds it, or adds ours where it was taken a moment ago.
 */
export async function insertOrHold(
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

/** Whose queue the job runs in, where it names an account, or an organization of the embedded service. */
function groupOf(data: object): { group?: { id: string } } {
  const { account, organization }: { account?: unknown; organization?: unknown } = data;
  const id = account ?? organization;
  return typeof id === 'string' && id !== '' ? { group: { id } } : {};
}
