import type { DateTime } from 'luxon';

/** Source of a version: Stripe's event time, or the time of our read. */
export type VersionSource = 'event' | 'read';

export interface MirrorVersion {
  version: DateTime;
  source: VersionSource;
}

/** The stored version on which a read was based; undefined for an unknown object. */
export interface Basis {
  readonly stored: MirrorVersion | undefined;
}

/** A row with the version stored when it was made. */
export interface MirrorWrite<Row> {
  readonly row: Row;
  readonly basis: Basis | undefined;
}
