/** Who may use the HTTP API, and where events go. */
import type { Config } from '../config.ts';
import type { SettingReader } from '../setting-reader.ts';

export function readOperatorTokens(read: SettingReader): Config['operatorTokens'] {
  const [full, readOnly] = [read.get('OPERATOR_TOKEN'), read.get('OPERATOR_READ_TOKEN')];
  return full === undefined && readOnly === undefined ? undefined : { full, read: readOnly };
}

export function readEvents(read: SettingReader): Config['events'] {
  const [url, secret] = [read.get('EVENTS_URL'), read.get('EVENTS_SECRET')];
  if (url === undefined) return undefined;
  if (secret === undefined)
    read.problem(
      'EVENTS_SECRET',
      'is required with EVENTS_URL; `echo whsec_$(openssl rand -base64 32)` makes one',
    );
  return { url: new URL(url), secret: secret ?? '' };
}
