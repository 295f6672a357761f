/** A command as `--help` and the reference show it. */

/** What `--help` lists together. */
export type CommandGroup = 'Set up and run' | 'Try' | 'Operate' | 'Keep the data';

export interface CommandRow {
  readonly group: CommandGroup;
  /** Its noun, if it has one, its verb and its arguments, as commander writes them. */
  readonly name: string;
  /** A line of `--help`: at most 62 characters where the command has no noun. */
  readonly description: string;
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** The command's use of the environment, for its `--help`. */
  readonly environment: 'settings' | 'database' | 'api' | 'nothing';
  /** Examples without the program's name. */
  readonly examples: readonly string[];
  /** Meanings of this command, added to those of every command. */
  readonly exitCodes?: Readonly<Record<number, string>>;
}
