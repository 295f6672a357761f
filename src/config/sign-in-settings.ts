/** Who may see the operator's pages, and how they prove it. */
import { isCredential, splitEntries } from './schema/setting-kinds.ts';
import type { SettingReader } from './setting-reader.ts';

export interface SignInSettings {
  readonly operators: readonly Operator[];
  readonly openId: OpenIdSettings | undefined;
}

export interface Operator {
  readonly name: string;
  readonly secret: { readonly kind: 'plain'; readonly password: string } | PasswordHash;
}

export interface PasswordHash {
  readonly kind: 'scrypt';
  /** log2 of scrypt's N, and its r and p. */
  readonly cost: number;
  readonly blockSize: number;
  readonly parallel: number;
  /** base64url */
  readonly salt: string;
  readonly hash: string;
}

export interface OpenIdSettings {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Addresses, and domains with an @ before them, in lower case. */
  readonly allowed: readonly string[];
}

/** Who signs in with CONSOLE_PASSWORD, which knows no names. */
export const OPERATOR = 'operator';

/** Colons, because a dollar sign is the shell's and Compose's. The figures bound what a sign-in may cost. */
const HASHED = /^scrypt:(1[4-7]):(8):([1-4]):([\w-]{22}):([\w-]{43})$/;
const NAME = /^[A-Za-z0-9][\w.@+-]{0,63}$/;

export const NO_USERS =
  'must be entries NAME:scrypt:… with commas, each name once; `npx stripe-payment-retry hash-password NAME` makes one';

export function formatPasswordHash({ cost, blockSize, parallel, salt, hash }: PasswordHash): string {
  return ['scrypt', cost, blockSize, parallel, salt, hash].join(':');
}

export function areOperators(value: string): boolean {
  const operators = splitEntries(value).map(parseOperator);
  const names = operators.map((one) => one?.name.toLowerCase());
  return operators.length > 0 && !names.includes(undefined) && new Set(names).size === names.length;
}

export function isOperatorName(name: string): boolean {
  return NAME.test(name);
}

/** An address, or a domain with an @ before it. */
export const ALLOWED = /^[^@\s]*@[^@\s]+$/;

/** Undefined: nobody, and the pages are not there. */
export function readSignIn(read: SettingReader): SignInSettings | undefined {
  const password = read.get('CONSOLE_PASSWORD');
  const users = splitEntries(read.get('CONSOLE_USERS') ?? '').flatMap((entry) => parseOperator(entry) ?? []);
  const operators: Operator[] = [
    ...(password === undefined ? [] : [{ name: OPERATOR, secret: { kind: 'plain', password } as const }]),
    ...users,
  ];
  if (password !== undefined && users.some(({ name }) => name.toLowerCase() === OPERATOR))
    read.problem('CONSOLE_USERS', `must not name ${OPERATOR}, who signs in with CONSOLE_PASSWORD`);
  const openId = readOpenId(read);
  return operators.length === 0 && openId === undefined ? undefined : { operators, openId };
}

const OPEN_ID = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ALLOWED'] as const;

function readOpenId(read: SettingReader): OpenIdSettings | undefined {
  const missing = OPEN_ID.filter((name) => read.optional(name) === undefined);
  if (missing.length === OPEN_ID.length) return undefined;
  for (const name of missing)
    read.problem(
      name,
      name === 'OIDC_ALLOWED'
        ? 'is required with OIDC_ISSUER, whose accounts need not all be operators; give addresses or @domains with commas'
        : 'is required for signing in with OpenID Connect; the identity provider gives it for a client',
    );
  const clientSecret = read.get('OIDC_CLIENT_SECRET') ?? '';
  if (clientSecret !== '' && !isCredential(clientSecret))
    read.problem('OIDC_CLIENT_SECRET', 'must be printable characters without spaces');
  return {
    issuer: read.address('OIDC_ISSUER'),
    clientId: read.get('OIDC_CLIENT_ID') ?? '',
    clientSecret,
    allowed: read.entries('OIDC_ALLOWED').map((entry) => entry.toLowerCase()),
  };
}

function parseOperator(entry: string): Operator | undefined {
  const [, name = '', hashed = ''] = /^([^:]*):(.*)$/s.exec(entry) ?? [];
  const [, cost, blockSize, parallel, salt = '', hash = ''] = HASHED.exec(hashed) ?? [];
  if (!isOperatorName(name) || hash === '') return undefined;
  const figures = { cost: Number(cost), blockSize: Number(blockSize), parallel: Number(parallel) };
  return { name, secret: { kind: 'scrypt', ...figures, salt, hash } };
}
