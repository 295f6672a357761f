/** The options of `createPlugin`, in their groups, as the flat settings that everything inside works with. */
import { describeUnknown } from '../../core/base/nearest-name.ts';
import { isRecord } from '../../core/contract/contract.ts';
import { NATURAL_VALUES } from './schema/natural-values.ts';
import type { PluginSettings } from './schema/plugin-settings.ts';
import { createFileSettings } from './schema/setting-files.ts';
import { naturalOf, optionName, placeOf } from './schema/setting-options.ts';
import { SETTING_NAMES, type SettingName } from './schema/settings.ts';
import type { Environment } from './setting-reader.ts';

/** Marks options that come from an environment, so that a problem names its variable. */
const ENVIRONMENT = Symbol('environment');

interface Marked {
  readonly [ENVIRONMENT]?: Environment;
}

/** Options that are no settings, and the names they have inside. */
const HOST_PLACES = {
  logger: 'logger',
  on: 'on',
  onFailure: 'onFailure',
  'email.send': 'sendEmail',
  'email.render': 'renderEmail',
  'email.recipients': 'listRecipients',
} as const;

const SETTING_AT: ReadonlyMap<string, SettingName> = new Map(
  SETTING_NAMES.map((name) => [placeOf(name), name]),
);
export const PLACES: readonly string[] = [...SETTING_AT.keys(), ...Object.keys(HOST_PLACES)];

const isGroup = (place: string) => PLACES.some((one) => one.startsWith(`${place}.`));
const isHostPlace = (place: string): place is keyof typeof HOST_PLACES => Object.hasOwn(HOST_PLACES, place);

/** `own`: by the names that they have inside. `problems`: options that do not exist, or have the wrong form. */
export function flattenOptions(options: PluginSettings & Marked) {
  const environment = options[ENVIRONMENT];
  const known = environment === undefined ? new Map<SettingName, string>() : readTexts(environment);
  const own: Record<string, unknown> = {};
  const unknown: string[] = [];
  const problems: string[] = [];
  function visit(group: object, prefix: string): void {
    for (const [key, value] of Object.entries(group)) {
      const place = `${prefix}${key}`;
      const name = SETTING_AT.get(place);
      if (value === undefined || (name !== undefined && known.get(name) === value)) continue;
      if (name !== undefined) own[optionName(name)] = readValue(name, value, problems);
      else if (isHostPlace(place)) own[HOST_PLACES[place]] = value;
      else if (!isGroup(place)) unknown.push(place);
      else if (isRecord(value)) visit(value, `${place}.`);
      else
        problems.push(
          `${place} must be an object with options such as ${PLACES.find((one) => one.startsWith(place))}`,
        );
    }
  }
  visit(options, '');
  return {
    own: { ...own, environment },
    problems: [...describeUnknown('option', unknown, PLACES), ...problems],
  };
}

/** The text that says the same, where the value has a form of its own. */
function readValue(name: SettingName, value: unknown, problems: string[]): unknown {
  const kind = naturalOf(name);
  const isPlain = typeof value !== 'object' || value === null;
  if (isPlain && (kind === undefined || typeof value === 'string')) return value;
  const form = kind === undefined ? undefined : NATURAL_VALUES[kind];
  const parsed = form?.toText.safeParse(value);
  if (parsed?.success) return parsed.data;
  problems.push(`${placeOf(name)} must be a text${form ? `, or ${form.help}` : ', a number or a boolean'}`);
  return undefined;
}

/** The options that an environment gives, with the files that it names (`NAME_FILE`). Options next to them come first. */
export function settingsFromEnv(environment: Environment): PluginSettings {
  const options: PluginSettings & Record<string, unknown> = {};
  for (const [name, text] of readTexts(environment)) putAt(options, placeOf(name).split('.'), text);
  return Object.assign(options, { [ENVIRONMENT]: environment });
}

function putAt(group: Record<string, unknown>, [key = '', ...rest]: readonly string[], text: string): void {
  const inner = group[key];
  const next = isRecord(inner) ? inner : {};
  group[key] = rest.length === 0 ? text : next;
  if (rest.length > 0) putAt(next, rest, text);
}

/** Problems of a file are reported where the settings are read. */
function readTexts(environment: Environment): Map<SettingName, string> {
  const files = createFileSettings(environment, () => {});
  const given = SETTING_NAMES.map((name) => [name, files.find(name)?.trim() ?? ''] as const);
  return new Map(given.filter(([, text]) => text !== ''));
}
