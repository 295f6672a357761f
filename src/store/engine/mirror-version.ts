import type { DateTime } from 'luxon';
import { fromUnixSeconds } from '../../kit/clock.ts';

/** How fresh a mirrored object is: the instant of its state, and whether that instant is Stripe's or ours. */
export type VersionSource = 'event' | 'read';

export interface MirrorVersion {
  version: DateTime;
  source: VersionSource;
}

/** What a read was decided on; nothing at all, if the object was not known. */
export interface Basis {
  readonly stored: MirrorVersion | undefined;
}

/** As a parameter: the version that the row must still have; undefined where the order of versions alone decides. */
export function basisVersion(basis: Basis | undefined): DateTime | undefined {
  return basis && (basis.stored?.version ?? fromUnixSeconds(0));
}

/** One row to be stored, and what was stored when it was made. */
export interface MirrorWrite<Row> {
  readonly row: Row;
  readonly basis: Basis | undefined;
}

export const jsonOrNull = (value: object | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value);
