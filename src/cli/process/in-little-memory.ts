import type { CommandEntry } from '../command-entry.ts';
import { keepHeapSmall } from './keep-heap-small.ts';

/** For what reads large accounts. */
export function inLittleMemory(run: CommandEntry['run']): CommandEntry['run'] {
  return (args, options) => {
    keepHeapSmall();
    return run(args, options);
  };
}
