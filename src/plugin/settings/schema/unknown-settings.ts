/** Names that look like settings of ours and are none: a slip of the pen would otherwise change nothing, silently. */
import { distance } from 'fastest-levenshtein';
import type { Logger } from '../../../core/base/logger.ts';
import { FILE_SUFFIX } from './setting-files.ts';
import { optionName } from './setting-options.ts';

export interface UnknownSetting {
  readonly name: string;
  /** The setting that was meant, if one is near. */
  readonly meant: string | undefined;
}

/** The names of others in the same environment do not begin like this. */
const OURS = /^(RETRY|RECOVERY|RECOVER|CARD_CHANGE|CARD_EXPIRY|CONSOLE|OIDC|TIMING|BACKFILL|HANDBACK)_/;
const MOST_SLIPS = 2;
/** A short name is near to too many. */
const LETTERS_FOR_A_SLIP = 8;

/** In the environment those that begin like ours or are near to one; among the options every one that is none of ours. */
export function findUnknownSettings(
  known: readonly string[],
  options: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): UnknownSetting[] {
  const names = [...known, ...known.map((name) => `${name}${FILE_SUFFIX}`)];
  const isKnown = new Set(names);
  const given = Object.keys(environment).filter((name) => !isKnown.has(name));
  const inEnvironment = given
    .map((name) => ({ name, meant: findNear(name, names) }))
    .filter(({ name, meant }) => meant !== undefined || OURS.test(name));
  const optionNames = known.map(optionName);
  const inOptions = options
    .filter((name) => !optionNames.includes(name))
    .map((name) => ({ name, meant: findNear(name, optionNames) }));
  return [...inOptions, ...inEnvironment];
}

function findNear(name: string, known: readonly string[]): string | undefined {
  const most = Math.min(MOST_SLIPS, Math.floor(name.length / LETTERS_FOR_A_SLIP));
  const near = known
    // A difference of the lengths is one at least of so many letters: of most names nothing more has to be compared.
    .filter((one) => Math.abs(one.length - name.length) <= most)
    .map((one) => ({ one, slips: distance(name, one) }))
    .filter(({ slips }) => slips <= most)
    .sort((left, right) => left.slips - right.slips);
  return near[0]?.one;
}

/** A warning, not an error: others may use such names for their own. */
export function warnOfUnknownSettings(unknown: readonly UnknownSetting[], logger: Logger): void {
  for (const { name, meant } of unknown) {
    const advice = meant === undefined ? 'docs/reference/settings.md lists all' : `did you mean ${meant}?`;
    logger.warn({ setting: name, meant }, `there is no setting ${name}: ${advice}`);
  }
}
