/** What a person reads of the settings, in an editor and in docs/reference, made from `src/plugin/settings/schema/settings.ts` alone. */

import { NATURAL_VALUES } from '../../src/plugin/settings/schema/natural-values.ts';
import { FILE_SUFFIX } from '../../src/plugin/settings/schema/setting-files.ts';
import { type DescribedSetting, describeSettings } from '../../src/plugin/settings/schema/shown-settings.ts';

/** The interface that `createPlugin` takes: TypeScript shows comments of an interface only. */
export function renderPluginSettings(): string {
  const root: Group = new Map();
  for (const [name, setting] of describeSettings()) {
    const groups = setting.place.split('.');
    const last = groups.pop() ?? '';
    let group = root;
    for (const key of groups) {
      const inner = group.get(key) ?? new Map();
      if (!(inner instanceof Map)) throw new Error(`${setting.place}: ${key} is an option, and no group`);
      group.set(key, inner);
      group = inner;
    }
    group.set(last, { name, setting });
  }
  return `/** Generated from src/plugin/settings/schema/settings.ts by \`npm run docs:settings\`; not to be edited. */
import type { ClaimRoles, ControlGroup, GraceDays, NewCardTotal, RecoverFilter } from './natural-values.ts';

/** Options of \`createPlugin\` that are settings. Each names its variable of the environment. */
export interface PluginSettings {
${renderGroup(root, '  ')}
}
`;
}

type Group = Map<string, Group | { readonly name: string; readonly setting: DescribedSetting }>;

function renderGroup(group: Group, indent: string): string {
  return [...group]
    .map(([key, entry]) =>
      entry instanceof Map
        ? `${indent}readonly ${key}?: {\n${renderGroup(entry, `${indent}  `)}\n${indent}};`
        : `${indent}/** ${hoverText(entry.setting)} \`${entry.name}\`. */\n${indent}readonly ${key}?: ${typeOf(entry.setting)} | undefined;`,
    )
    .join('\n');
}

/** One row for each setting that everybody reads, or for each that few need. */
export function renderSettingsTable(isAdvanced = false): string {
  const shown = describeSettings().filter(([, setting]) => (setting.isAdvanced ?? false) === isAdvanced);
  const rows = shown.map(
    ([name, setting]) =>
      `| \`${name}\` | \`${setting.place}\` | ${defaultCell(setting)} | ${setting.description} |`,
  );
  const fromFile = `| \`NAME${FILE_SUFFIX}\` |  |  | Of each setting here, in the environment: the path of a file that holds it, such as \`STRIPE_SECRET_KEY_FILE=/run/secrets/stripe_key\`. Spaces and line ends around it are removed. |`;
  return [
    '| Name | Option | Default | |',
    '|---|---|---|---|',
    ...rows,
    ...(isAdvanced ? [] : [fromFile]),
  ].join('\n');
}

export function replaceSettingsTable(page: string, table: string): string {
  return page.replace(/\| Name \| (Option \| )?Default \| \|\n(\|.*\n)*/, () => `${table}\n`);
}

function hoverText(setting: DescribedSetting): string {
  const usual = defaultCell(setting);
  const label = usual.startsWith('(') ? 'Range' : 'Default';
  const fallback = usual === '' || usual === 'required' ? '' : ` ${label}: ${usual}.`;
  return `${setting.description}${fallback}`;
}

/** With the limits of a number behind it. */
function defaultCell({ default: fallback, usual = '', minimum, maximum }: DescribedSetting): string {
  const text = String(fallback ?? usual);
  const shown = text === '' || text === 'required' ? text : `\`${text}\``;
  return minimum === undefined ? shown : `${shown} (${minimum} to ${maximum})`.trim();
}

function typeOf(setting: DescribedSetting): string {
  const { natural } = setting;
  const own = natural === undefined ? '' : ` | ${NATURAL_VALUES[natural].type}`;
  return `${textType(setting)}${own}`;
}

function textType(setting: DescribedSetting): string {
  if (setting.anyOf)
    return setting.anyOf
      .map((one) => (typeof one.const === 'string' ? `'${one.const}'` : String(one.const ?? one.type)))
      .join(' | ');
  if (setting.enum) return setting.enum.map((one) => `'${one}'`).join(' | ');
  return setting.type === 'integer' ? 'number' : String(setting.type);
}
