/** A command as `--help` and the reference show it. */

/** What `--help` lists together. */
export type CommandGroup = 'Set up and run' | 'Try' | 'Operate' | 'Keep the data';

export interface CommandRow {
  readonly group: CommandGroup;
  /** With its arguments, as commander writes them. */
  readonly name: string;
  readonly description: string;
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** What `--help` says of the environment: what the command reads of it. */
  readonly environment: 'settings' | 'database' | 'api' | 'nothing';
  /** Without the program's name. */
  readonly examples: readonly string[];
  /** What they mean here, beside those that every command has. */
  readonly exitCodes?: Readonly<Record<number, string>>;
}
