/** Which process it is, in words that another one can test: in every container somebody is process 1. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';
import { codeOf } from '../base/errors.ts';

export const processIdentitySchema = z.object({
  pid: z.int().positive(),
  host: z.string(),
  /** One boot of one kernel. Where there is no boot id it is the host name; absent if Linux does not show it. */
  machine: z.string().optional(),
  /** Namespaces in which process ids and start times can be compared (pid_namespaces(7), time_namespaces(7)). */
  namespaces: z.string().optional(),
  /** Start time in the kernel's ticks since it booted. Only Linux shows it. */
  startedAt: z.string().optional(),
});
export type ProcessIdentity = z.output<typeof processIdentitySchema>;

export function identifyProcess(): ProcessIdentity {
  const { pid, platform } = process;
  const host = hostname();
  if (platform !== 'linux') return { pid, host, machine: `${platform} ${host}` };
  // Of another namespace than this process, a /proc has other processes under these ids.
  const isOwnProc = tryTo(() => readlinkSync('/proc/self')) === String(pid);
  return {
    pid,
    host,
    machine: tryTo(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    namespaces: ['pid', 'time'].map((kind) => tryTo(() => readlinkSync(`/proc/self/ns/${kind}`))).join(' '),
    startedAt: isOwnProc ? readStat('self')?.startedAt : undefined,
  };
}

/** What can be proven from here of a process that was identified earlier, perhaps elsewhere. */
export function findFate(other: ProcessIdentity): 'lives' | 'gone' | 'unknown' {
  const own = identifyProcess();
  if (!isOnSameMachine(own, other) || own.namespaces !== other.namespaces) return 'unknown';
  if (!isThere(other.pid)) return 'gone';
  if (own.startedAt === undefined || other.startedAt === undefined) return 'unknown';
  const stat = readStat(other.pid);
  // Threads of a zombie may still write.
  if (stat === undefined || stat.state === 'Z') return 'unknown';
  return stat.startedAt === other.startedAt ? 'lives' : 'gone';
}

export function isOnSameMachine(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.machine !== undefined && one.machine === other.machine;
}

/** Signal 0 asks without disturbing. EPERM means alive under another user. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Fields 3 and 22 of proc_pid_stat(5). The name before them may have spaces and parentheses. */
function readStat(pid: number | 'self'): { state: string; startedAt: string } | undefined {
  const text = tryTo(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, startedAt] = [fields?.[0], fields?.[19]];
  return state === undefined || startedAt === undefined ? undefined : { state, startedAt };
}

/** A file of /proc that this kernel does not have, or hides. */
function tryTo<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
