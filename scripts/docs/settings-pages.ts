/** Writes what is made of the table of settings: the options of `createPlugin`, and the table in docs/reference/settings.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { renderPluginSettings, renderSettingsTable, replaceSettingsTable } from './render-settings.ts';

const options = new URL('../../src/plugin/settings/schema/plugin-settings.ts', import.meta.url);
const reference = new URL('../../docs/reference/settings.md', import.meta.url);

writeFileSync(options, renderPluginSettings());
writeFileSync(reference, replaceSettingsTable(readFileSync(reference, 'utf8'), renderSettingsTable()));
