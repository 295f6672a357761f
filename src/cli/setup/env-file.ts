/** A file of settings, `NAME=value` a line, as `node --env-file` reads it. Comments and foreign lines stay as they are. */
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { PluginError } from '../../core/base/errors.ts';

export type EnvValues = Readonly<Record<string, string | undefined>>;

/** Readable by its owner alone: it holds secrets. */
const MODE = 0o600;

/** Nothing where there is no file. */
export function readEnvFile(path: string): EnvValues {
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
}

/** Sets values in the file, which is made where it is missing. A value replaces the line of its name, also one in a comment. */
export function writeEnvFile(path: string, values: Readonly<Record<string, string>>): void {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const text = Object.entries(values).reduce((all, [name, value]) => setLine(all, name, value), before);
  writeWhole(path, text);
}

/** Writes in one step: a crash leaves the old file or the new one. */
export function writeWhole(path: string, text: string): void {
  const fresh = `${path}.${randomUUID()}`;
  // Nothing that lies there is followed or written over.
  writeFileSync(fresh, text, { mode: MODE, flag: 'wx' });
  chmodSync(fresh, MODE);
  renameSync(fresh, path);
}

function setLine(text: string, name: string, value: string): string {
  const line = formatLine(name, value);
  const old = new RegExp(`^#? ?${name}=.*$`, 'm');
  if (old.test(text)) return text.replace(old, () => line);
  const end = text === '' || text.endsWith('\n') ? '' : '\n';
  return `${text}${end}${line}\n`;
}

/** Throws for a value that no quotes can hold. */
export function formatLine(name: string, value: string): string {
  if (/^[\w@%+=:,./-]*$/.test(value)) return `${name}=${value}`;
  const quote = ["'", '"', '`'].find((one) => !value.includes(one));
  if (quote === undefined || /[\r\n\\]/.test(value))
    throw new PluginError(
      'CONFIG_INVALID',
      `${name} has a value that does not fit into one line of a file.`,
      {
        help: 'Set it in the environment of the process.',
      },
    );
  return `${name}=${quote}${value}${quote}`;
}
