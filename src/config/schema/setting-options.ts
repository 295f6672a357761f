/** Settings as options of `createPlugin`: by the same names in camelCase. */
import type { SettingName, SettingValue } from '../settings.ts';

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;

/** What PluginSettings must agree with. TypeScript shows no comments of types like this one, so an editor gets that interface. */
export type SettingOptions = {
  readonly [Name in SettingName as CamelCase<Name>]?: SettingValue<Name> | undefined;
};

export function optionName(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
