import type { CommandRow } from '../plugin/app/commands/command-row.ts';

/** A command as the command line runs it. */
export interface CommandEntry extends CommandRow {
  /** Not in `--help` or the reference. */
  readonly isHidden?: true;
  /** Returns the exit code. `start` and `service` return nothing and run until they are stopped. */
  readonly run: (args: readonly string[], options: unknown) => Promise<number | undefined>;
}
