import { SETTINGS } from '../../../src/plugin/settings/schema/settings.ts';

export const SETTING_NAMES = Object.keys(SETTINGS);
