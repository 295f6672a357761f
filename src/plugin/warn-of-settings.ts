import type { UnknownSetting } from '../config/schema/unknown-settings.ts';
import type { Logger } from '../logger.ts';

/** A warning, not an error: others may use such names for their own. */
export function warnOfUnknownSettings(unknown: readonly UnknownSetting[], logger: Logger): void {
  for (const { name, meant } of unknown) {
    const advice = meant === undefined ? 'docs/reference.md lists all' : `did you mean ${meant}?`;
    logger.warn({ setting: name, meant }, `there is no setting ${name}: ${advice}`);
  }
}
