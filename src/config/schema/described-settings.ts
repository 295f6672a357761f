/** What there is to say of each setting, as its schema has it: for the documentation, editors and the console. */
import { z } from 'zod';
import { SETTINGS, type SettingName } from './settings.ts';

const value = z.union([z.string(), z.number(), z.boolean()]);

const described = z.object({
  description: z.string(),
  default: value.optional(),
  /** A default that depends on something else. */
  usual: z.string().optional(),
  shown: z.enum(['open', 'address']).optional(),
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  anyOf: z.array(z.object({ type: z.string(), const: value.optional() })).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});
export type DescribedSetting = z.output<typeof described>;

export function describeSettings(): (readonly [SettingName, DescribedSetting])[] {
  return Object.entries(SETTINGS).map(
    ([name, schema]) =>
      [name as SettingName, described.parse(z.toJSONSchema(schema, { io: 'input' }))] as const,
  );
}
