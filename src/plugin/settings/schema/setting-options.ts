/** Two names of a setting: its place in the options of `createPlugin`, and the flat one that it has inside. */
import type { z } from 'zod';
import type { NaturalKind } from './natural-values.ts';
import { SETTINGS, type SettingName, type SettingValue } from './settings.ts';

export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;

/** Settings by their flat names. */
export type SettingOptions = {
  readonly [Name in SettingName as CamelCase<Name>]?: Given<Name> | undefined;
};

/** The value before its transformation. */
type Given<Name extends SettingName> =
  unknown extends z.input<(typeof SETTINGS)[Name]> ? SettingValue<Name> : z.input<(typeof SETTINGS)[Name]>;

export function optionName(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Such as `email.window`. */
export const placeOf = (name: SettingName): string => SETTINGS[name].notes.place;
export const naturalOf = (name: SettingName): NaturalKind | undefined => SETTINGS[name].notes.natural;
