/** A test sets what it needs: the settings of whoever runs it, a database among them, are not for tests. */
import { SETTINGS } from '../../../src/plugin/settings/schema/settings.ts';

for (const name of Object.keys(SETTINGS)) delete process.env[name];
