/** What a command has to say, and its exit code. */
export interface CommandResult {
  readonly code: number;
  readonly text: string;
}

export type Write = (text: string) => void;

export const writeToTerminal: Write = (text) => {
  process.stdout.write(text);
};

/** Returns the exit code. */
export function printResult({ code, text }: CommandResult, write: Write): number {
  write(`${text}\n`);
  return code;
}
