/** Reads settings from options and environment, and collects their problems. */
import { ConfigError } from '../../core/base/errors.ts';
import { createFileSettings, FILE_SUFFIX } from './schema/setting-files.ts';
import { BAD_CREDENTIAL, chosenSecrets, isCredential, splitSecrets } from './schema/setting-kinds.ts';
import { type CamelCase, optionName, placeOf, type SettingOptions } from './schema/setting-options.ts';
import {
  defaultOf,
  type LoneSetting,
  SCHEMAS,
  SETTING_NAMES,
  type SettingName,
  type SettingValue,
} from './schema/settings.ts';
import type { SettingSource } from './schema/shown-settings.ts';
import { findUnknownSettings, type UnknownSetting } from './schema/unknown-settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type SettingReader = ReturnType<typeof createReader>;

type TextSetting = {
  [Name in SettingName]: SettingValue<Name> extends string | undefined ? Name : never;
}[SettingName];

/** When no environment is given, only options count. */
export function createReader(settings: SettingOptions, environment?: Environment) {
  // Once each, also of a setting that is read twice.
  const problems = new Set<string>();
  const sources = createSources(settings, environment ?? {}, (what) => problems.add(what));
  const { optional } = sources;
  const isOption = (name: SettingName) => environment === undefined || sources.sourceOf(name) === 'option';
  const label = (name: SettingName) => (isOption(name) ? placeOf(name) : name);
  /** Other settings, too, by the names that they have where they came from. */
  const rename = (what: string) =>
    what.replace(SETTING_WORD, (whole, name: string, value?: string) => {
      if (!isSetting(name) || !isOption(name)) return whole;
      return value === undefined ? placeOf(name) : `${placeOf(name)}: '${value}'`;
    });
  const problem = (name: SettingName, what: string) => {
    if (!sources.isBroken(name)) problems.add(`${label(name)} ${rename(what)}`);
  };

  /** The default where the setting is not given, and in the place of a wrong one. */
  function get<Name extends SettingName>(name: Name): SettingValue<Name> {
    const parsed = SCHEMAS[name].safeParse(optional(name));
    if (parsed.success) return parsed.data;
    for (const what of new Set(parsed.error.issues.map(({ message }) => message))) problem(name, what);
    return defaultOf(name);
  }

  const unknown = findUnknownSettings(SETTING_NAMES, environment ?? {});
  /** Nobody else's where the setting that was meant is missing. */
  const isMistake = ({ meant }: UnknownSetting) =>
    meant !== undefined &&
    !SETTING_NAMES.some(
      (name) => [name, `${name}${FILE_SUFFIX}`].includes(meant) && optional(name) !== undefined,
    );

  function required(name: TextSetting, help: string): string {
    if (optional(name) === undefined) problem(name, `is required; ${help}`);
    return get(name) ?? '';
  }

  return {
    optional,
    /** The file that holds the setting, if the environment names one. */
    fileOf: sources.fileOf,
    /** Where the value that counts comes from. */
    sourceOf: sources.sourceOf,
    /** The setting's name where it was given: its place in the options, or its variable. */
    label,
    get,
    /** Settings that stand alone, by their names in camelCase. */
    alone: <Name extends LoneSetting>(names: readonly Name[]) =>
      Object.fromEntries(names.map((name) => [optionName(name), get(name)])) as {
        readonly [One in Name as CamelCase<One>]: SettingValue<One>;
      },
    required,
    problem,
    address: (name: TextSetting, fallback = 'https://invalid.invalid') => {
      const value = get(name) ?? fallback;
      return new URL(URL.canParse(value) ? value : fallback);
    },
    /** The key of the service is one for the plugin, and may be two for the service. */
    credential: (name: TextSetting, value: string) => {
      if (value !== '' && !isCredential(value)) problem(name, BAD_CREDENTIAL);
      return value;
    },
    secrets: (name: TextSetting, help: string) => splitSecrets(required(name, help)),
    someSecrets: (name: TextSetting) => {
      const value = get(name);
      return value === undefined ? undefined : splitSecrets(value);
    },
    /** Keys of our own choice: a plugin's key for a remote service has the form that the service issued. */
    chosenKeys: (name: TextSetting, help: string) => {
      const value = required(name, help);
      const parsed = chosenSecrets(2).safeParse(value);
      if (value !== '') for (const { message } of parsed.error?.issues ?? []) problem(name, message);
      return splitSecrets(value);
    },
    /** Variables that can be another program's. */
    unknown: unknown.filter((one) => !isMistake(one)),
    /** `found`: what others found. */
    finish: (found: readonly string[] = []) => {
      for (const what of found) problems.add(what);
      for (const { name, meant } of unknown.filter(isMistake))
        problems.add(
          `there is no setting ${name}; did you mean ${meant}? If it is another program's, set ${meant} as well`,
        );
      if (problems.size > 0) throw new ConfigError([...problems], environment ? undefined : OPTIONS_ALONE);
    },
  };
}

const OPTIONS_ALONE =
  'Nothing was read from the environment: `settingsFromEnv` gives the options that it holds.';

const SETTING_WORD = /\b([A-Z][A-Z_]*[A-Z])\b(?:=([a-z]+))?/g;
const isSetting = (name: string): name is SettingName => Object.hasOwn(SCHEMAS, name);

/** Options come before the environment, and a file that it names is part of it. */
function createSources(
  settings: SettingOptions,
  environment: Environment,
  report: (problem: string) => void,
) {
  const given = new Map(Object.entries(settings).filter(([, value]) => value !== undefined));
  const files = createFileSettings(environment, report);

  /** The text as it was given, by an option, the environment or a file that it names. Blank is not given. */
  function optional(name: SettingName): string | undefined {
    const option = given.get(optionName(name));
    const value = option === undefined ? files.find(name) : String(option);
    return value === undefined || value.trim() === '' ? undefined : value.trim();
  }

  return {
    optional,
    fileOf: files.pathOf,
    isBroken: files.isBroken,
    sourceOf: (name: SettingName): SettingSource => {
      if (optional(name) === undefined) return defaultOf(name) === undefined ? 'none' : 'default';
      if (given.has(optionName(name))) return 'option';
      return files.pathOf(name) === undefined ? 'environment' : 'file';
    },
  };
}
