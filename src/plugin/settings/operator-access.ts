/** Who may use the HTTP API, and where events go. */
import { createReader, type Environment, type SettingReader } from './setting-reader.ts';

export interface OperatorTokens {
  readonly full: string | undefined;
  readonly read: string | undefined;
}

export interface AlertTargets {
  readonly url: { readonly address: URL; readonly form: 'json' | 'slack' } | undefined;
  readonly mailTo: readonly string[];
  /** Who gets what waits for a person, once a day. */
  readonly needsMailTo: readonly string[];
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

export function readAlerts(read: SettingReader): AlertTargets | undefined {
  const [url, form] = [read.get('ALERTS_URL'), read.get('ALERTS_FORMAT')];
  const [mailTo, needsMailTo] = [read.get('ALERTS_MAIL_TO'), read.get('NEEDS_YOU_MAIL_TO')];
  const hasMails = read.optional('SMTP_URL') !== undefined;
  if (mailTo.length > 0 && !hasMails)
    read.problem('ALERTS_MAIL_TO', 'needs SMTP_URL and EMAIL_FROM; ALERTS_URL needs no mail server');
  if (needsMailTo.length > 0 && !hasMails) read.problem('NEEDS_YOU_MAIL_TO', 'needs SMTP_URL and EMAIL_FROM');
  if (url === undefined && mailTo.length + needsMailTo.length === 0) return undefined;
  return { url: url === undefined ? undefined : { address: new URL(url), form }, mailTo, needsMailTo };
}

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
