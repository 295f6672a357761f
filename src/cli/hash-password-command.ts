import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { isOperatorName } from '../config/schema/operator-entries.ts';
import { hashPassword } from '../http/sign-in/passwords.ts';
import {
  type CommandResult,
  printResult,
  type Write,
  writeToTerminal,
} from '../operator/text/command-result.ts';

const LEAST = 12;

/** The password is read from the terminal without an echo, or from a pipe: an argument would stand in the shell's history. */
export async function runHashPassword(
  [name = '']: readonly string[],
  readPassword: () => Promise<string> = askForPassword,
  write: Write = writeToTerminal,
): Promise<number> {
  return printResult(await makeEntry(name, readPassword), write);
}

async function makeEntry(name: string, readPassword: () => Promise<string>): Promise<CommandResult> {
  if (!isOperatorName(name))
    return { code: 1, text: `${name} cannot be a name: give up to 64 letters, digits and . _ @ + -` };
  const password = await readPassword();
  if (password.length < LEAST) return { code: 1, text: `Choose a password of at least ${LEAST} characters.` };
  return { code: 0, text: `${name}:${await hashPassword(password)}` };
}

async function askForPassword(): Promise<string> {
  const { stdin, stderr } = process;
  if (stdin.isTTY) stderr.write('Password: ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY === true });
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => [''])]);
  lines.close();
  if (stdin.isTTY) stderr.write('\n');
  return String(line);
}
