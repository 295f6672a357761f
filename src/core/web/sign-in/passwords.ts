/** Passwords of operators: hashed by scrypt, which costs a guesser memory and time, and ours as well. */
import { randomBytes, scrypt } from 'node:crypto';
import { isSameSecret } from '../same-secret.ts';
import { formatPasswordHash, type Operator, type PasswordHash } from './operators.ts';

/** 32 MiB, as OWASP's cheat sheet on password storage asks (https://cheatsheetseries.owasp.org, read 2026-11-22). */
const FIGURES = { cost: 15, blockSize: 8, parallel: 3 } as const;
const HASH_BYTES = 32;
const SALT_BYTES = 16;

/** The hash in the form of CONSOLE_USERS, which a name and a colon precede. */
export async function hashPassword(password: string): Promise<string> {
  const fresh = { kind: 'scrypt', ...FIGURES, salt: randomBytes(SALT_BYTES).toString('base64url') } as const;
  return formatPasswordHash({ ...fresh, hash: await derive(password, fresh) });
}

/** Checks one password at a time: parallel guesses use the memory of one. An unknown name costs the same time. */
export function createPasswordCheck(operators: readonly Operator[]) {
  const byName = new Map(operators.map((one) => [one.name.toLowerCase(), one]));
  const nobody = operators.find(({ secret }) => secret.kind === 'scrypt')?.secret;
  let turn: Promise<unknown> = Promise.resolve();
  return (name: string, password: string): Promise<Operator | undefined> => {
    const check = async () => {
      const operator = byName.get(name.toLowerCase());
      const secret = operator?.secret ?? nobody;
      return secret !== undefined && (await isPassword(password, secret)) ? operator : undefined;
    };
    const checked = turn.then(check);
    turn = checked.catch(() => undefined);
    return checked;
  };
}

async function isPassword(password: string, secret: Operator['secret']): Promise<boolean> {
  if (secret.kind === 'plain') return isSameSecret(password, secret.password);
  return isSameSecret(await derive(password, secret), secret.hash);
}

function derive(password: string, figures: Omit<PasswordHash, 'hash'>): Promise<string> {
  const { cost, blockSize, parallel, salt } = figures;
  const N = 2 ** cost;
  const options = { N, r: blockSize, p: parallel, maxmem: 256 * N * blockSize };
  return new Promise((done, fail) => {
    // Composed, so that one and the same password of another keyboard fits, too (NIST SP 800-63B, 5.1.1.2).
    scrypt(password.normalize('NFKC'), Buffer.from(salt, 'base64url'), HASH_BYTES, options, (error, key) =>
      error ? fail(error) : done(key.toString('base64url')),
    );
  });
}
