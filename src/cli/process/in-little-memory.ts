import { setFlagsFromString } from 'node:v8';
import type { CommandEntry } from '../command-entry.ts';

/** Runs commands that read large accounts. */
export function inLittleMemory(run: CommandEntry['run']): CommandEntry['run'] {
  return (args, options) => {
    keepHeapSmall();
    return run(args, options);
  };
}

/** Percent by which the heap may grow beyond the memory in use after a collection. */
const GROWTH_PERCENT = 30;

/**
 * Has this process collect garbage early. Reading a large account makes much of it, of which V8 would let some 250 MB
 * gather and keep the room; so it is a third of that, for a third more processor time (docs/reference/benchmarks.md). For
 * processes of our own: a host application's heap is not ours to govern.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  // Else 32 MB for new objects, which a start fills once and which are kept.
  setFlagsFromString('--semi-space-growth-factor=1');
}
