/** The settings as an operator may see them: each with what it does and where it comes from, and no secret. */

import type { SettingName } from '../settings.ts';
import { type DescribedSetting, describeSettings } from './described-settings.ts';

export type SettingSource = 'option' | 'environment' | 'file' | 'default' | 'none';

export interface ShownSetting {
  readonly name: SettingName;
  readonly meaning: string;
  readonly source: SettingSource;
  /** Undefined where there is none; `hidden` where it must not be shown. */
  readonly value: string | 'hidden' | undefined;
}

/** Texts are hidden unless they are named here, so that a new secret is not shown because somebody forgot it. */
const OPEN: ReadonlySet<SettingName> = new Set<SettingName>([
  ...(['PORTAL_CONFIGURATION', 'BUSINESS_ENTITY', 'BUSINESS_ENTITY_METADATA_KEY'] as const),
  ...(['RECOVER_PLANS', 'RECOVER_COUNTRIES', 'RECOVER_CURRENCIES', 'RECOVER_METADATA'] as const),
  ...(['CARD_CHANGE_MAX_TOTAL', 'DATA_DIR', 'EMAIL_FROM', 'EMAIL_REPLY_TO', 'EMAIL_LANGUAGE'] as const),
  ...(['EMAIL_COLOR', 'EMAIL_TEMPLATES', 'TIME_ZONE', 'EMAIL_WINDOW', 'REMINDER_DAYS'] as const),
  ...(['OIDC_CLIENT_ID', 'OIDC_ALLOWED', 'REPORT_CURRENCY', 'EXCHANGE_RATES', 'HOST'] as const),
  ...(['TLS_CERT', 'TLS_KEY', 'TRUST_PROXY'] as const),
]);

/** Shown without what may be secret in them: a login, and what follows a question mark. */
const ADDRESSES: ReadonlySet<SettingName> = new Set<SettingName>([
  ...(['STRIPE_API_BASE', 'RETRY_SERVICE_URL', 'PUBLIC_URL', 'SERVICE_CALLBACK_URL'] as const),
  ...(['DATABASE_URL', 'SMTP_URL', 'EMAIL_LOGO_URL', 'OIDC_ISSUER'] as const),
]);

interface GivenSettings {
  optional(name: SettingName): string | undefined;
  sourceOf(name: SettingName): SettingSource;
}

export function showSettings(given: GivenSettings): ShownSetting[] {
  return describeSettings().map(([name, setting]) => {
    const text = given.optional(name);
    const { description: meaning, default: fallback, usual } = setting;
    if (text !== undefined)
      return { name, meaning, source: given.sourceOf(name), value: maskSetting(name, setting, text) };
    const byDefault = fallback ?? (usual === 'required' ? undefined : usual);
    return byDefault === undefined
      ? { name, meaning, source: 'none', value: undefined }
      : { name, meaning, source: 'default', value: String(byDefault) };
  });
}

function maskSetting(name: SettingName, { type, enum: words }: DescribedSetting, text: string): string {
  if (OPEN.has(name) || words !== undefined || type === 'integer' || type === 'boolean') return text;
  return ADDRESSES.has(name) ? withoutLogin(text) : 'hidden';
}

function withoutLogin(text: string): string {
  if (text === 'embedded') return text;
  if (!URL.canParse(text)) return 'hidden';
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
