/** Reads single settings from options and environment, and gathers what is wrong with them. */
import { IANAZone } from 'luxon';
import { ConfigError } from '../errors.ts';
import { isLoopback } from './loopback.ts';
import { parseWindow, type SendingWindow } from './sending-window.ts';
import type { PluginSettings, SettingName } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type SettingReader = ReturnType<typeof createReader>;

export function createReader(settings: PluginSettings, environment: Environment) {
  const problems: string[] = [];
  const given = new Map(Object.entries(settings));
  const problem = (name: SettingName, what: string) => {
    problems.push(`${name} ${what}`);
  };

  function optional(name: SettingName): string | undefined {
    const option = given.get(camelCase(name));
    const value = option === undefined ? environment[name] : String(option);
    return value === undefined || value.trim() === '' ? undefined : value.trim();
  }
  const text = (name: SettingName, fallback: string) => optional(name) ?? fallback;

  function required(name: SettingName, help: string): string {
    const value = optional(name);
    if (value === undefined) problem(name, `is required; ${help}`);
    return value ?? '';
  }

  function splitSecrets(name: SettingName, value: string, most = 2): string[] {
    const parts = value.split(',').map((part) => part.trim());
    if (parts.length > most || parts.some((part) => part === '')) {
      const many = most === 2 ? 'or two separated by a comma while rotating' : `or up to ${most} with commas`;
      problem(name, `takes one secret, ${many}`);
    } else for (const part of parts) credential(name, part);
    return parts;
  }

  /** What goes into a header of HTTP. Never shown. */
  function credential(name: SettingName, value: string): string {
    if (value !== '' && !/^[!-~]+$/.test(value)) problem(name, 'must be printable characters without spaces');
    return value;
  }

  function address(name: SettingName, fallback: string): URL {
    const value = text(name, fallback);
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      problem(name, 'must be an https address');
      return new URL(fallback);
    }
    if (url.protocol === 'http:' && !isLoopback(url.hostname))
      problem(name, 'must be https; plain http is for this machine only');
    return url;
  }

  function integer(name: SettingName, range: { fallback: number; min: number; max: number }): number {
    const value = optional(name);
    if (value === undefined) return range.fallback;
    const number = Number(value);
    if (Number.isInteger(number) && number >= range.min && number <= range.max) return number;
    problem(name, `must be a whole number from ${range.min} to ${range.max}`);
    return range.fallback;
  }

  function choice<Value extends string>(name: SettingName, values: readonly [Value, ...Value[]]): Value {
    const value = text(name, values[0]);
    const known = values.find((one) => one === value);
    if (known === undefined) problem(name, `must be one of ${values.join(', ')}`);
    return known ?? values[0];
  }

  return {
    optional,
    text,
    required,
    credential,
    address,
    integer,
    choice,
    problem,
    list: (name: SettingName, help: string, most?: number) =>
      splitSecrets(name, required(name, help) || 'missing', most),
    optionalList: (name: SettingName, fallback: string) => splitSecrets(name, text(name, fallback)),
    boolean: (name: SettingName, fallback: boolean) =>
      choice(name, fallback ? ['true', 'false'] : ['false', 'true']) === 'true',
    basic: (name: SettingName) => {
      const value = optional(name);
      if (value !== undefined && !/^[^:]+:.+$/.test(value)) problem(name, 'must have the form user:password');
      return value;
    },
    zone: (name: SettingName, fallback: string) => {
      const value = text(name, fallback);
      if (!IANAZone.isValidZone(value)) problem(name, 'must be an IANA time zone such as Europe/Berlin');
      return value;
    },
    window: (name: SettingName, fallback: string): SendingWindow => {
      const window = parseWindow(text(name, fallback));
      if (window === undefined) problem(name, 'must have the form 08:00-20:00');
      return window ?? { fromMinute: 480, toMinute: 1200 };
    },
    finish: () => {
      if (problems.length > 0) throw new ConfigError(problems);
    },
  };
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
