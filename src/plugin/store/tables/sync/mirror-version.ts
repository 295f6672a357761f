import type { DateTime } from 'luxon';

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

/** One row to be stored, and what was stored when it was made. */
export interface MirrorWrite<Row> {
  readonly row: Row;
  readonly basis: Basis | undefined;
}
