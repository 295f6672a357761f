/** CONSOLE_USERS and OIDC_ALLOWED: who may see the operator's pages. */
import { isRole, type Operator, ROLES } from '../../../core/web/sign-in/operators.ts';
import { splitEntries } from './setting-kinds.ts';

/** Colons, because a dollar sign is the shell's and Compose's. The figures bound what a sign-in may cost. */
const HASHED = /^scrypt:(1[4-7]):(8):([1-4]):([\w-]{22}):([\w-]{43})$/;
/** `NAME[:ROLE]:scrypt:…[:totp:SECRET]`; the secret has at least 128 bits (RFC 4226, section 4). */
const ENTRY = new RegExp(`^([^:]*):(?:(${ROLES.join('|')}):)?(scrypt:.*?)(?::totp:([A-Z2-7]{26,64}))?$`, 's');
const NAME = /^[A-Za-z0-9][\w.@+-]{0,63}$/;

export const NO_USERS =
  'must be entries NAME:scrypt:… or NAME:ROLE:scrypt:… with commas, each name once; `npx stripe-payment-retry hash-password NAME` makes one';

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
