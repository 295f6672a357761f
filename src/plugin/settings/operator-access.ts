/** Who may see the operator's pages and use the HTTP API, and where events go. */
import { isLoopback } from '../../core/base/loopback.ts';
import {
  OPERATOR,
  type OpenIdSettings,
  type Operator,
  type SignInSettings,
} from '../../core/web/sign-in/operators.ts';
import { isCredential } from './schema/setting-kinds.ts';
import { createReader, type Environment, type SettingReader } from './setting-reader.ts';

export interface OperatorTokens {
  readonly full: string | undefined;
  readonly read: string | undefined;
}

export interface AlertTargets {
  readonly addresses: readonly {
    readonly url: URL;
    readonly form: 'json' | 'slack';
    readonly hasNames: boolean;
  }[];
  /** Those who also get what waits for a person, once a day. */
  readonly mailTo: readonly string[];
}

export interface EventTarget {
  readonly url: URL;
  readonly secret: string;
}

export function readOperatorTokens(read: SettingReader): OperatorTokens | undefined {
  const [full, readOnly] = [read.get('OPERATOR_TOKEN'), read.get('OPERATOR_READ_TOKEN')];
  return full === undefined && readOnly === undefined ? undefined : { full, read: readOnly };
}

/** Where a running installation is asked, and with what. Throws ConfigError. */
export function loadOperatorAccess(environment: Environment): { publicUrl: URL; tokens: OperatorTokens } {
  const read = createReader({}, environment);
  const publicUrl = read.address('PUBLIC_URL', `http://localhost:${read.get('PORT')}`);
  const tokens = readOperatorTokens(read) ?? { full: undefined, read: undefined };
  read.finish();
  return { publicUrl, tokens };
}

/** Reads NOTIFY. */
export function readAlerts(read: SettingReader): AlertTargets | undefined {
  const entries = read.get('NOTIFY');
  const mailTo = entries.filter(isEmail).map((entry) => entry.slice('mailto:'.length));
  if (mailTo.length > 0 && read.optional('SMTP_URL') === undefined)
    read.problem('NOTIFY', 'mailto: needs SMTP_URL and EMAIL_FROM; an https address needs no mail server');
  const addresses = entries
    .filter((entry) => !isEmail(entry))
    .flatMap((entry) => {
      const [, form = 'json', names, address = ''] = /^(?:(slack)(\+names)?:)?(.*)$/.exec(entry) ?? [];
      const url = URL.canParse(address) ? new URL(address) : undefined;
      if (url && (url.protocol === 'https:' || isLoopback(url.hostname)))
        return {
          url,
          form: form === 'slack' ? ('slack' as const) : ('json' as const),
          hasNames: names !== undefined,
        };
      read.problem('NOTIFY', 'an address must be https; plain http is for this machine only');
      return [];
    });
  return entries.length === 0 ? undefined : { addresses, mailTo };
}

const isEmail = (entry: string) => entry.startsWith('mailto:');

export function readEvents(read: SettingReader): EventTarget | undefined {
  const [url, secret] = [read.get('EVENTS_URL'), read.get('EVENTS_SECRET')];
  if (url === undefined) return undefined;
  if (secret === undefined)
    read.problem(
      'EVENTS_SECRET',
      'is required with EVENTS_URL; `echo whsec_$(openssl rand -base64 32)` makes one',
    );
  return { url: new URL(url), secret: secret ?? '' };
}

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
