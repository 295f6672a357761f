/** What a person reads of the settings, in an editor and in docs/reference, made from `src/plugin/settings/schema/settings.ts` alone. */

import { FILE_SUFFIX } from '../../src/plugin/settings/schema/setting-files.ts';
import { optionName } from '../../src/plugin/settings/schema/setting-options.ts';
import { type DescribedSetting, describeSettings } from '../../src/plugin/settings/schema/shown-settings.ts';

/** The interface that `createPlugin` takes: TypeScript shows comments of an interface only. */
export function renderPluginSettings(): string {
  const options = describeSettings().map(
    ([name, setting]) => `  /** ${hoverText(setting)} */
  readonly ${optionName(name)}?: ${typeOf(setting)} | undefined;`,
  );
  return `/** Made from src/plugin/settings/schema/settings.ts by \`npm run docs:settings\`; not to be edited. */

/** What \`createPlugin\` takes. What is left out comes from the environment that is handed over, else it has its default. */
export interface PluginSettings {
${options.join('\n')}
}
`;
}

/** One row for each setting that everybody reads, or for each that few need. */
export function renderSettingsTable(isAdvanced = false): string {
  const shown = describeSettings().filter(([, setting]) => setting.isAdvanced === isAdvanced);
  const rows = shown.map(
    ([name, setting]) => `| \`${name}\` | ${defaultCell(setting)} | ${setting.description} |`,
  );
  const fromFile = `| \`NAME${FILE_SUFFIX}\` |  | Of each setting here, in the environment: the path of a file that holds it, such as \`STRIPE_SECRET_KEY_FILE=/run/secrets/stripe_key\`. Spaces and line ends around it are removed. |`;
  return ['| Name | Default | |', '|---|---|---|', ...rows, ...(isAdvanced ? [] : [fromFile])].join('\n');
}

export function replaceSettingsTable(page: string, table: string): string {
  return page.replace(/\| Name \| Default \| \|\n(\|.*\n)*/, () => `${table}\n`);
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
  if (setting.anyOf)
    return setting.anyOf
      .map((one) => (typeof one.const === 'string' ? `'${one.const}'` : String(one.const ?? one.type)))
      .join(' | ');
  if (setting.enum) return setting.enum.map((one) => `'${one}'`).join(' | ');
  return setting.type === 'integer' ? 'number' : String(setting.type);
}
