/** What the command line knows of a command. */

/** What `--help` says of the environment: what the command reads of it. */
type Environment = 'settings' | 'database' | 'api' | 'nothing';

/** What `--help` lists together, in this order. */
export const COMMAND_GROUPS = ['Set up and run', 'Try', 'Operate', 'Keep the data'] as const;

export interface CommandEntry {
  readonly group: (typeof COMMAND_GROUPS)[number];
  /** With its arguments, as commander writes them. */
  readonly name: string;
  readonly description: string;
  readonly options?: readonly (readonly [flags: string, description: string])[];
  readonly environment: Environment;
  /** Without the program's name. */
  readonly examples: readonly string[];
  /** What they mean here, beside those that every command has. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  /** What it returns becomes the exit code. `start` and `service` return nothing and run until they are stopped. */
  readonly run: (args: readonly string[], options: unknown) => Promise<number | undefined>;
}
