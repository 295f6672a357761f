/** The settings as an operator may see them: each with what it does and where it comes from, and no secret. */
import { z } from 'zod';
import { lazy } from '../../../core/base/lazy.ts';
import type { SettingNotes } from './setting-kinds.ts';
import { SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts';

const value = z.union([z.string(), z.number(), z.boolean()]);

const described = z.object({
  description: z.string(),
  default: value.optional(),
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  anyOf: z.array(z.object({ type: z.string(), const: value.optional() })).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});

export type SettingSource = 'option' | 'environment' | 'file' | 'default' | 'none';

/** One setting, where it comes from and its value. */
export interface ShownSetting {
  readonly name: SettingName;
  readonly meaning: string;
  readonly source: SettingSource;
  /** Undefined where there is none; `hidden` where it must not be shown. */
  readonly value: string | 'hidden' | undefined;
}

interface GivenSettings {
  optional(name: SettingName): string | undefined;
  sourceOf(name: SettingName): SettingSource;
}

export function showSettings(given: GivenSettings): ShownSetting[] {
  return describeSettings().map(([name, setting]) => {
    const text = given.optional(name);
    const { description: meaning, default: fallback, usual } = setting;
    if (text !== undefined)
      return { name, meaning, source: given.sourceOf(name), value: maskSetting(setting, text) };
    const byDefault = fallback ?? (usual === 'required' ? undefined : usual);
    return byDefault === undefined
      ? { name, meaning, source: 'none', value: undefined }
      : { name, meaning, source: 'default', value: String(byDefault) };
  });
}

function maskSetting({ type, enum: words, shown }: DescribedSetting, text: string): string {
  if (shown === 'open' || words !== undefined || type === 'integer' || type === 'boolean') return text;
  return shown === 'address' ? withoutLogin(text) : 'hidden';
}

function withoutLogin(text: string): string {
  if (!URL.canParse(text)) return text === 'embedded' ? text : 'hidden';
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

export type DescribedSetting = SettingNotes & z.output<typeof described>;

export const describeSettings = lazy(() =>
  SETTING_NAMES.map((name): readonly [SettingName, DescribedSetting] => {
    const schema = SETTINGS[name];
    return [name, { ...schema.notes, ...described.parse(z.toJSONSchema(schema, { io: 'input' })) }];
  }),
);
