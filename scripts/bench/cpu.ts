/** What the kernel counts of a process: processor time in hundredths of a second, and memory. Reads /proc, so it runs on Linux. */
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

export function secondsOf(pid: number): number {
  return statOf(pid).own;
}

/** Resident. */
export function megabytesOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

/** The process whose children serve PostgreSQL's sessions, found by that of one session. Zero where the server runs elsewhere. */
export function serverOf(session: number): number {
  return statOf(session).parent;
}

/** Of all processes of a server, those that have ended included. */
export function serverSeconds(server: number): number {
  if (server === 0) return 0;
  const { own, ended } = statOf(server);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = pids.map((pid) => statOf(Number(pid))).filter(({ parent }) => parent === server);
  return children.reduce((sum, child) => sum + child.own, own + ended);
}

/** Of a process that is gone meanwhile, nothing. */
function statOf(pid: number) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ').map(Number) ?? [];
    const [, parent = 0] = fields;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return {
      parent,
      own: (user + system) / TICKS_PER_SECOND,
      ended: (endedUser + endedSystem) / TICKS_PER_SECOND,
    };
  } catch {
    return { parent: 0, own: 0, ended: 0 };
  }
}
