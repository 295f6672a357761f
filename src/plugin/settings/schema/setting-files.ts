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
    const text = isGiven(environment[name])
      ? { problem: `${name} and ${name}${FILE_SUFFIX} are both set; keep one of them` }
      : readText(`${name}${FILE_SUFFIX}`, path);
    if (typeof text === 'string') return text;
    report(text.problem);
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

function readText(setting: string, path: string): string | { problem: string } {
  try {
    const text = readFileSync(path, 'utf8');
    return isGiven(text) ? text : { problem: `${setting} names ${path}, which is empty` };
  } catch (error) {
    const code = codeOf(error) === undefined ? '' : ` (${codeOf(error)})`;
    return { problem: `${setting} names ${path}, which cannot be read${code}` };
  }
}
