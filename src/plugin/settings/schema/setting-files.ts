/** `NAME_FILE` in the environment: a file that holds the setting, as Docker and Kubernetes hand out secrets. */
import { readFileSync } from 'node:fs';
import { codeOf } from '../../../core/base/errors.ts';
import type { SettingName } from './settings.ts';

export const FILE_SUFFIX = '_FILE';

type Environment = Readonly<Record<string, string | undefined>>;

const isGiven = (value: string | undefined): value is string => value !== undefined && value.trim() !== '';

/** Reads each file once. A fault is reported once, and the setting counts as absent. */
export function createFileSettings(environment: Environment, report: (problem: string) => void) {
  const read = new Map<SettingName, string | undefined>();

  function pathOf(name: SettingName): string | undefined {
    const path = environment[`${name}${FILE_SUFFIX}`];
    return isGiven(path) ? path.trim() : undefined;
  }

  function readOnce(name: SettingName, path: string): string | undefined {
    const variable = `${name}${FILE_SUFFIX}`;
    if (isGiven(environment[name])) {
      report(`${name} and ${variable} are both set; keep one of them`);
      return undefined;
    }
    const fail = (why: string) => report(`${variable} names ${path}, which ${why}`);
    const text = readNamedFile(path, fail);
    if (text === undefined || isGiven(text)) return text;
    fail('is empty');
    return undefined;
  }

  return {
    pathOf,
    /** The value from the file if one is named, else from the environment itself. */
    find: (name: SettingName): string | undefined => {
      const path = pathOf(name);
      if (path === undefined) return environment[name];
      if (!read.has(name)) read.set(name, readOnce(name, path));
      return read.get(name);
    },
    /** Something is wrong with the file of this one, which says it all. */
    isBroken: (name: SettingName): boolean => read.has(name) && read.get(name) === undefined,
  };
}

/** Reads a file that a setting names. `report` continues the sentence that the file begins. */
export function readNamedFile(path: string, report: (why: string) => void): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    report(`cannot be read${code === undefined ? '' : ` (${code})`}`);
    return undefined;
  }
}
