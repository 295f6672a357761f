import type { CommandRow } from '../plugin/app/commands/command-row.ts';

/** What the command line knows of a command. */
export interface CommandEntry extends CommandRow {
  /** What it returns becomes the exit code. `start` and `service` return nothing and run until they are stopped. */
  readonly run: (args: readonly string[], options: unknown) => Promise<number | undefined>;
}
