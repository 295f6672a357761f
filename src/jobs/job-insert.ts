/** How a job is written for pg-boss. */
import type { JobInsert } from 'pg-boss';
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

/** Whose queue the job runs in, where it names an account, or an organization of the embedded service. */
function groupOf(data: object): { group?: { id: string } } {
  const { account, organization }: { account?: unknown; organization?: unknown } = data;
  const id = account ?? organization;
  return typeof id === 'string' && id !== '' ? { group: { id } } : {};
}
