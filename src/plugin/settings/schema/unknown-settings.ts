/** Variables of the environment that look like settings and are none: a typing error would otherwise change nothing, silently. */

import type { Logger } from '../../../core/base/logger.ts';
import { findNearest } from '../../../core/base/nearest-name.ts';
import { FILE_SUFFIX } from './setting-files.ts';

export interface UnknownSetting {
  readonly name: string;
  /** The setting that was meant, if one is near. */
  readonly meant: string | undefined;
}

/** The names of others in the same environment do not begin like this. */
const OURS =
  /^((RETRY|RECOVERY|RECOVER|CARD_CHANGE|CARD_EXPIRY|CONSOLE|OIDC|TIMING|BACKFILL|HANDBACK|STRIPE_APP|INGEST|OFFER_PAUSE|UPDATE_SUBSCRIPTION|FOLLOW_TEST|BUSINESS_ENTITY|SERVICE_CALLBACK)(_|$)|STRIPE_EVENTS$|EMAIL_COLOR$|REPORT_CURRENCY$|MAX_\w+_(ATTEMPTS|PRESENTMENTS)(_|$))/;
const MOST_SLIPS = 2;
/** A short name is near to too many. */
const LETTERS_FOR_A_SLIP = 8;

/** Variables that begin like ours or are near to one. */
export function findUnknownSettings(
  known: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): UnknownSetting[] {
  const names = [...known, ...known.map((name) => `${name}${FILE_SUFFIX}`)];
  const isKnown = new Set(names);
  return Object.keys(environment)
    .filter((name) => environment[name] !== undefined && !isKnown.has(name))
    .map((name) => {
      const slips = Math.min(MOST_SLIPS, Math.floor(name.length / LETTERS_FOR_A_SLIP));
      return { name, meant: slips === 0 ? undefined : findNearest(name, names, slips) };
    })
    .filter(({ name, meant }) => meant !== undefined || OURS.test(name));
}

/** A warning, not an error: they are near to no setting, or to one that is set, and can be another program's. */
export function warnOfUnknownSettings(unknown: readonly UnknownSetting[], logger: Logger): void {
  for (const { name, meant } of unknown) {
    const advice = meant === undefined ? 'docs/reference/settings.md lists all' : `did you mean ${meant}?`;
    logger.warn({ setting: name, meant }, `there is no setting ${name}: ${advice}`);
  }
}
