/** Lists the public surface: each name with the version that brought it. A change of a name is a change of this list. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { listCommands } from '../../src/cli/commands.ts';
import { HOST_EVENT_TYPES } from '../../src/plugin/operator/host-events/host-event.ts';
import { PLACES } from '../../src/plugin/settings/options.ts';
import { SETTING_NAMES } from '../../src/plugin/settings/schema/settings.ts';

const root = new URL('../../', import.meta.url);
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('package.json', root), 'utf8')));

export const SURFACE_FILE = new URL('scripts/docs/surface.json', root);

const surface = z.record(z.string(), z.record(z.string(), z.string()));
type Surface = z.output<typeof surface>;

export const readSurface = (): Surface => surface.parse(JSON.parse(readFileSync(SURFACE_FILE, 'utf8')));

/** Keeps the version of each name that was there before. */
export async function renderSurface(before: Surface): Promise<string> {
  const commands = (await listCommands()).filter(({ isHidden }) => !isHidden);
  const names: Readonly<Record<string, readonly string[]>> = {
    exports: listExports('src/index.ts'),
    'exports of /testing': listExports('src/testing.ts'),
    options: PLACES,
    events: HOST_EVENT_TYPES,
    commands: commands.map(({ name }) => name),
    settings: SETTING_NAMES,
  };
  const listed = Object.entries(names).map(([kind, all]) => [
    kind,
    Object.fromEntries([...all].sort().map((name) => [name, before[kind]?.[name] ?? version])),
  ]);
  return `${JSON.stringify(Object.fromEntries(listed), null, 2)}\n`;
}

function listExports(path: string): string[] {
  const text = readFileSync(new URL(path, root), 'utf8');
  return [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((name) => name.replace(/^\s*(type )?/, '').trim())
      .filter((name) => name !== ''),
  );
}
