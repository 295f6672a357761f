/** CONSOLE_USERS and OIDC_ALLOWED: who may see the operator's pages. */
import { splitEntries } from './setting-kinds.ts';

/** What somebody may do, each with all of those before it. */
export const ROLES = ['reader', 'operator', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

export interface Operator {
  readonly name: string;
  /** Administrator, unless it says otherwise. */
  readonly role?: Role;
  /** Base32, of an authenticator: its code is asked for beside the password. */
  readonly totp?: string;
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

/** Colons, because a dollar sign is the shell's and Compose's. The figures bound what a sign-in may cost. */
const HASHED = /^scrypt:(1[4-7]):(8):([1-4]):([\w-]{22}):([\w-]{43})$/;
/** `NAME[:ROLE]:scrypt:…[:totp:SECRET]`; the secret has at least 128 bits (RFC 4226, section 4). */
const ENTRY = new RegExp(`^([^:]*):(?:(${ROLES.join('|')}):)?(scrypt:.*?)(?::totp:([A-Z2-7]{26,64}))?$`, 's');
const NAME = /^[A-Za-z0-9][\w.@+-]{0,63}$/;

export const NO_USERS =
  'must be entries NAME:scrypt:… or NAME:ROLE:scrypt:… with commas, each name once; `npx stripe-payment-retry hash-password NAME` makes one';

export function formatPasswordHash({ cost, blockSize, parallel, salt, hash }: PasswordHash): string {
  return ['scrypt', cost, blockSize, parallel, salt, hash].join(':');
}

export function isRole(text: string | undefined): text is Role {
  return ROLES.some((role) => role === text);
}

export function areOperators(value: string): boolean {
  const operators = splitEntries(value).map(parseOperator);
  const names = operators.map((one) => one?.name.toLowerCase());
  return operators.length > 0 && !names.includes(undefined) && new Set(names).size === names.length;
}

export function parseOperators(value: string): Operator[] {
  return splitEntries(value).flatMap((entry) => parseOperator(entry) ?? []);
}

export function isOperatorName(name: string): boolean {
  return NAME.test(name);
}

/** An address, or a domain with an @ before it. */
export const ALLOWED = /^[^@\s]*@[^@\s]+$/;

function parseOperator(entry: string): Operator | undefined {
  const [, name = '', role, hashed = '', totp] = ENTRY.exec(entry) ?? [];
  const [, cost, blockSize, parallel, salt = '', hash = ''] = HASHED.exec(hashed) ?? [];
  if (!isOperatorName(name) || hash === '') return undefined;
  const figures = { cost: Number(cost), blockSize: Number(blockSize), parallel: Number(parallel) };
  return {
    name,
    secret: { kind: 'scrypt', ...figures, salt, hash },
    ...(isRole(role) ? { role } : {}),
    ...(totp === undefined ? {} : { totp }),
  };
}
