/** Settings as options of `createPlugin`: by the same names in camelCase. */
import type { z } from 'zod';
import type { SETTINGS, SettingName, SettingValue } from './settings.ts';

export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;

/** What PluginSettings must agree with. TypeScript shows no comments of types like this one, so an editor gets that interface. */
export type SettingOptions = {
  readonly [Name in SettingName as CamelCase<Name>]?: Given<Name> | undefined;
};

/** Before it is transformed. */
type Given<Name extends SettingName> =
  unknown extends z.input<(typeof SETTINGS)[Name]> ? SettingValue<Name> : z.input<(typeof SETTINGS)[Name]>;

export function optionName(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
