import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { z } from 'zod';
import { isRole, ROLES } from '../core/web/sign-in/operators.ts';
import { hashPassword } from '../core/web/sign-in/passwords.ts';
import { type CommandResult, type Write, writeToTerminal } from '../plugin/operator/text/command-result.ts';
import { isOperatorName } from '../plugin/settings/schema/operator-entries.ts';

const LEAST = 12;

/** The password is read from the terminal without an echo, or from a pipe: an argument would stand in the shell's history. */
export async function runHashPassword(
  [name = '']: readonly string[],
  given: unknown = {},
  readPassword: () => Promise<string> = askForPassword,
  write: Write = writeToTerminal,
): Promise<number> {
  const { code, text } = await makeEntry(name, options.parse(given), readPassword);
  write(`${text}\n`);
  return code;
}

const options = z.object({ role: z.string().optional(), totp: z.boolean().default(false) });

async function makeEntry(
  name: string,
  { role, totp }: z.output<typeof options>,
  readPassword: () => Promise<string>,
): Promise<CommandResult> {
  if (!isOperatorName(name))
    return { code: 1, text: `${name} cannot be a name: give up to 64 letters, digits and . _ @ + -` };
  if (role !== undefined && !isRole(role))
    return { code: 1, text: `${role} is no role: give ${ROLES.join(', ')}` };
  const password = await readPassword();
  if (password.length < LEAST) return { code: 1, text: `Choose a password of at least ${LEAST} characters.` };
  const entry = `${name}:${role === undefined ? '' : `${role}:`}${await hashPassword(password)}`;
  if (!totp) return { code: 0, text: entry };
  const { Secret, TOTP } = await import('otpauth');
  const secret = new Secret({ size: 20 });
  const link = new TOTP({ issuer: 'Payment Retry', label: name, secret });
  const lines = [
    `${entry}:totp:${secret.base32}`,
    `For the authenticator, as a link or as the secret ${secret.base32}:`,
    link.toString(),
  ];
  return { code: 0, text: lines.join('\n') };
}

export async function askForPassword(prompt = 'Password: '): Promise<string> {
  const { stdin, stderr } = process;
  if (stdin.isTTY) stderr.write(prompt);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY === true });
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => [''])]);
  lines.close();
  if (stdin.isTTY) stderr.write('\n');
  return String(line);
}
