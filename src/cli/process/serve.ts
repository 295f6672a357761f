import type { CommandEntry } from '../command-entry.ts';

/** Here, or in the process that has the embedded database open. */
export function serve(name: string): CommandEntry['run'] {
  return async (args, options) => (await import('./run-on-store.ts')).runOnStore(name, args, options);
}
