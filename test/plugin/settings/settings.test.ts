import { readFileSync } from 'node:fs';
import { renderPluginSettings } from '../../../scripts/docs/render-settings.ts';

test('the options of createPlugin are those of the table (npm run docs:settings)', () => {
  const file = new URL('../../../src/plugin/settings/schema/plugin-settings.ts', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(renderPluginSettings());
});
