/** What a command has to say, and its exit code. */
export interface CommandResult {
  readonly code: number;
  readonly text: string;
}

export type Write = (text: string) => void;

export const writeToTerminal: Write = (text) => {
  process.stdout.write(text);
};
