/** The setting CONNECTED_ACCOUNTS: what each connected account has of its own. */
import { z } from 'zod';
import { tryJson } from '../../core/base/try-json.ts';
import { readNamedFile } from './schema/setting-files.ts';
import { address, basicCredentials, isStrong, TOO_WEAK } from './schema/setting-kinds.ts';
import type { CallbackSettings, ServiceSettings } from './service-settings.ts';
import type { SettingReader } from './setting-reader.ts';

/** The entry for accounts that have none of their own. Without it they are not served. */
const OTHERS = '*';
const ACCOUNT_KEY = /^acct_[A-Za-z0-9]{1,64}$/;

const credential = z.string().regex(/^[\x21-\x7e]+$/, 'must be printable characters without spaces');

const accountSettings = z.strictObject({
  retryServiceUrl: address()
    .transform((text) => new URL(text))
    .optional(),
  retryServiceApiKey: credential.optional(),
  recoveryCallbackToken: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(
      z
        .array(credential.refine((token) => token === '' || isStrong(token), TOO_WEAK))
        .max(2, 'takes one token, or two separated by a comma while rotating'),
    )
    .optional(),
  recoveryCallbackBasic: basicCredentials().optional(),
  businessEntity: z.string().trim().min(1, 'must not be empty').optional(),
});
export type AccountSettings = z.output<typeof accountSettings>;

const connectedAccounts = z.record(z.string(), accountSettings);

export interface ConnectedAccounts {
  readonly listed: ReadonlyMap<string, AccountSettings>;
  /** Settings of accounts that are not listed; undefined if these are not served. */
  readonly others: AccountSettings | undefined;
}

export function isAccountId(text: string): boolean {
  return ACCOUNT_KEY.test(text);
}

/** Other settings, which decide an account's allowed and required ones. */
interface PlainSettings {
  readonly service: ServiceSettings;
  readonly callback: CallbackSettings;
}

type Report = (what: string) => void;

/** JSON text, or the path of a JSON file. Problems name the place inside, never a value, which may be a secret. */
export function readConnectedAccounts(read: SettingReader, plain: PlainSettings): ConnectedAccounts {
  const report: Report = (what) => read.problem('CONNECTED_ACCOUNTS', what);
  const entries = new Map(Object.entries(parse(read.optional('CONNECTED_ACCOUNTS'), report)));
  for (const [key, settings] of entries) {
    if (key !== OTHERS && !isAccountId(key))
      report(`must be keyed by account ids such as acct_1 or by "*", and has "${key}"`);
    for (const problem of findContradictions(key, settings, plain)) report(problem);
  }
  const others = entries.get(OTHERS);
  const listed = new Map([...entries].filter(([key]) => key !== OTHERS));
  for (const problem of findRepetitions(listed, plain)) report(problem);
  return { listed, others };
}

function parse(value: string | undefined, report: Report): z.output<typeof connectedAccounts> {
  if (value === undefined) return {};
  const explain = (why: string) =>
    report(`must be JSON text that begins with { or the path of a JSON file; ${value} ${why}`);
  const text = value.startsWith('{') ? value : (readNamedFile(value, explain) ?? '{}');
  const parsed = connectedAccounts.safeParse(parseJson(text, report));
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues)
    report(`must be fixed at ${path.join('.') || 'its beginning'}: ${message}`);
  return {};
}

/** The parser's own message quotes the text, and with it maybe a secret. */
function parseJson(text: string, report: Report): unknown {
  const parsed = tryJson(text);
  if (parsed !== undefined) return parsed;
  report('must be JSON; a parser such as `jq .` shows where it breaks');
  return {};
}

/** Credentials must never go to, or be taken from, a service that they were not meant for. */
function findContradictions(key: string, settings: AccountSettings, { service }: PlainSettings): string[] {
  const { retryServiceUrl, retryServiceApiKey, recoveryCallbackToken, recoveryCallbackBasic } = settings;
  const hasCallback = recoveryCallbackToken !== undefined || recoveryCallbackBasic !== undefined;
  if (service.kind === 'embedded') {
    if (retryServiceUrl) return [`must not have ${key}.retryServiceUrl unless RETRY_SERVICE_URL is remote`];
    if (key === OTHERS && (retryServiceApiKey || hasCallback))
      return ['must not share credentials under "*": the embedded service makes them for each account'];
    // It calls back by token alone.
    if (recoveryCallbackBasic && !recoveryCallbackToken)
      return [`must have ${key}.recoveryCallbackToken next to its recoveryCallbackBasic`];
    return [];
  }
  const problems: string[] = [];
  if (retryServiceUrl && !retryServiceApiKey)
    problems.push(`must have ${key}.retryServiceApiKey next to its own retryServiceUrl`);
  if ((retryServiceUrl || retryServiceApiKey) && !hasCallback)
    problems.push(`must have ${key}.recoveryCallbackToken next to its own service key`);
  return problems;
}

/** An entry for one account must not open another. */
function findRepetitions(
  listed: ConnectedAccounts['listed'],
  { service, callback }: PlainSettings,
): string[] {
  const problems: string[] = [];
  const owners = new Map(callback.tokens.map((token) => [`token ${token}`, 'RECOVERY_CALLBACK_TOKEN']));
  if (callback.basic) owners.set(`basic ${callback.basic}`, 'RECOVERY_CALLBACK_BASIC');
  if (service.kind === 'embedded') owners.set(`key ${service.apiKey}`, 'RETRY_SERVICE_API_KEY');
  for (const [account, settings] of listed) {
    const mine = new Set([
      ...(settings.recoveryCallbackToken ?? []).map((token) => `token ${token}`),
      ...(settings.recoveryCallbackBasic ? [`basic ${settings.recoveryCallbackBasic}`] : []),
      ...(settings.retryServiceApiKey && service.kind === 'embedded'
        ? [`key ${settings.retryServiceApiKey}`]
        : []),
    ]);
    for (const secret of mine) {
      const owner = owners.get(secret);
      const what = secret.slice(0, secret.indexOf(' '));
      if (owner) problems.push(`must not have the same ${what} for ${account} as for ${owner}`);
      owners.set(secret, account);
    }
  }
  return problems;
}
