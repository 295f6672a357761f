/** Which retry service the settings name, and how it proves itself when it calls back. */
import { createHmac } from 'node:crypto';
import type { PlaceNames } from '../../core/web/http-server.ts';
import type { SettingReader } from './setting-reader.ts';

export type ServiceSettings =
  | {
      readonly kind: 'embedded';
      /** Port for other processes; the plugin around the service needs none. */
      readonly port: number | undefined;
      /** Names of its address and port where they were given. */
      readonly names: PlaceNames;
      readonly apiKey: string;
    }
  | {
      readonly kind: 'remote';
      readonly baseUrl: URL;
      /** Where its listings are, if not under the base address. */
      readonly listingUrl?: URL | undefined;
      readonly apiKey: string;
    };

export interface CallbackSettings {
  readonly tokens: readonly string[];
  readonly basic: string | undefined;
}

/** Value for a service that does not call back: its instructions are read from its listing alone. */
const NO_CALLBACK = 'none';
const CALLS_BACK = 'must be a token: the service of this package calls back';

export function isWithoutCallback(callback: CallbackSettings | undefined): boolean {
  return callback?.tokens.length === 0 && callback.basic === undefined;
}

export function readService(
  read: SettingReader,
  secretKey: string,
): { service: ServiceSettings; callback: CallbackSettings } {
  const embedded = (read.optional('RETRY_SERVICE_URL') ?? 'embedded') === 'embedded';
  const service: ServiceSettings = embedded
    ? {
        kind: 'embedded',
        port: read.get('SERVICE_PORT'),
        names: { host: read.label('HOST'), port: read.label('SERVICE_PORT') },
        apiKey: read.credential(
          'RETRY_SERVICE_API_KEY',
          read.get('RETRY_SERVICE_API_KEY') ?? deriveSecret(secretKey, 'embedded service key'),
        ),
      }
    : {
        kind: 'remote',
        baseUrl: read.address('RETRY_SERVICE_URL'),
        listingUrl: read.get('RETRY_SERVICE_LISTING_URL')
          ? read.address('RETRY_SERVICE_LISTING_URL')
          : undefined,
        apiKey: read.credential(
          'RETRY_SERVICE_API_KEY',
          read.required(
            'RETRY_SERVICE_API_KEY',
            'create one at the service, where it lists keys under /org/api_keys',
          ),
        ),
      };
  if (embedded && read.get('RETRY_SERVICE_LISTING_URL') !== undefined)
    read.problem('RETRY_SERVICE_LISTING_URL', 'must not be set unless RETRY_SERVICE_URL is remote');
  return {
    service,
    callback: { tokens: readTokens(read, secretKey, embedded), basic: read.get('RECOVERY_CALLBACK_BASIC') },
  };
}

function readTokens(read: SettingReader, secretKey: string, embedded: boolean): readonly string[] {
  const given = read.optional('RECOVERY_CALLBACK_TOKEN');
  if (given === NO_CALLBACK) {
    if (embedded) read.problem('RECOVERY_CALLBACK_TOKEN', CALLS_BACK);
    return [];
  }
  if (given === undefined && embedded) return [deriveSecret(secretKey, 'embedded callback token')];
  const help = 'choose a long random token and give it to the service, or none to poll it alone';
  return read.secrets('RECOVERY_CALLBACK_TOKEN', help);
}

/** Settings for a process next to the listening one. */
export function withoutServicePort<Settings extends { readonly service: ServiceSettings }>(
  settings: Settings,
): Settings {
  const { service } = settings;
  return service.kind === 'embedded' ? { ...settings, service: { ...service, port: undefined } } : settings;
}

/** Values that the stand-alone service and the plugin must share: the other side's half of `readService`. */
export function readStandAlone(read: SettingReader): {
  apiKeys: readonly string[];
  callback: { baseUrl: string; token: string };
} {
  const apiKeys = read.chosenKeys(
    'RETRY_SERVICE_API_KEY',
    'choose a long random key and give it to the plugin',
  );
  if (read.optional('PUBLIC_URL') === undefined)
    read.problem('PUBLIC_URL', 'is required: the address of the plugin, where instructions are sent');
  const baseUrl = read.address('PUBLIC_URL').href;
  const tokens = read.secrets(
    'RECOVERY_CALLBACK_TOKEN',
    'choose a long random token and give it to the plugin',
  );
  if (tokens.includes(NO_CALLBACK)) read.problem('RECOVERY_CALLBACK_TOKEN', CALLS_BACK);
  return { apiKeys, callback: { baseUrl, token: tokens[0] ?? '' } };
}

/**
 * The embedded service runs in this process, so its credentials need no setting: they follow from the Stripe key, the
 * same in every process and after every restart, with no stored secret. One-way: nothing of the key can be read from it.
 */
export function deriveSecret(secretKey: string, purpose: string): string {
  return createHmac('sha256', secretKey).update(`stripe-payment-retry ${purpose}`).digest('base64url');
}
