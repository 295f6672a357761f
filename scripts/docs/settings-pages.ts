/** Writes what is made of the table of settings: the options of `createPlugin`, and the tables in docs/reference. */
import { readFileSync, writeFileSync } from 'node:fs';
import { renderPluginSettings, renderSettingsTable, replaceSettingsTable } from './render-settings.ts';

const options = new URL('../../src/plugin/settings/schema/plugin-settings.ts', import.meta.url);

writeFileSync(options, renderPluginSettings());
for (const [name, isAdvanced] of [
  ['settings', false],
  ['settings-advanced', true],
] as const) {
  const page = new URL(`../../docs/reference/${name}.md`, import.meta.url);
  writeFileSync(page, replaceSettingsTable(readFileSync(page, 'utf8'), renderSettingsTable(isAdvanced)));
}
