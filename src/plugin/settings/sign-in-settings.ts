/** Who may see the operator's pages, and how they prove it. */
import {
  OPERATOR,
  type OpenIdSettings,
  type Operator,
  type SignInSettings,
} from '../../core/web/sign-in/operators.ts';
import { isCredential } from './schema/setting-kinds.ts';
import type { SettingReader } from './setting-reader.ts';

/** Undefined: nobody, and the pages are not there. */
export function readSignIn(read: SettingReader): SignInSettings | undefined {
  const password = read.get('CONSOLE_PASSWORD');
  const users = read.get('CONSOLE_USERS') ?? [];
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
  const roles = read.get('OIDC_ROLES');
  const clientSecret = read.get('OIDC_CLIENT_SECRET') ?? '';
  if (clientSecret !== '' && !isCredential(clientSecret))
    read.problem('OIDC_CLIENT_SECRET', 'must be printable characters without spaces');
  return {
    issuer: read.address('OIDC_ISSUER'),
    clientId: read.get('OIDC_CLIENT_ID') ?? '',
    clientSecret,
    allowed: read.get('OIDC_ALLOWED'),
    ...(roles && { roles }),
  };
}
