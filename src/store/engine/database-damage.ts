/** Which errors of the embedded database say that it cannot be trusted any more until it is opened anew. */

/**
 * Its files: too many are open (53000), one cannot be made or read (class 58), a page or an index is broken (XX001,
 * XX002). A full disk (53100) is none of them: that passes by itself.
 */
const BROKEN_FILES = /^(53000|58\w{3}|XX001|XX002)$/;
/** PostgreSQL gave up. In a process of its own it would start again. */
const ENDED = /^(PANIC|FATAL)$/;
/** Of the WebAssembly machine, of the file system below it, of the thread that it runs on, and of the folder's lock. */
const MACHINE = /^(RuntimeError|ExitStatus|ErrnoError|ThreadEndedError|LockLostError)$/;

export function isDamage(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, code, severity }: { name?: unknown; code?: unknown; severity?: unknown } = error;
  return severity === undefined
    ? MACHINE.test(String(name))
    : ENDED.test(String(severity)) || BROKEN_FILES.test(String(code));
}
