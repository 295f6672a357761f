/** How fresh a mirrored object is: the instant of its state, and whether that instant is Stripe's or ours. */
export type VersionSource = 'event' | 'read';

export interface MirrorVersion {
  version: Date;
  source: VersionSource;
}

/** What a read was decided on; nothing at all, if the object was not known. */
export interface Basis {
  readonly stored: MirrorVersion | undefined;
}

/** As a parameter: the version that the row must still have; null where the order of versions alone decides. */
export function basisVersion(basis: Basis | undefined): string | null {
  return basis === undefined ? null : (basis.stored?.version ?? new Date(0)).toISOString();
}

/** One row to be stored, and what was stored when it was made. */
export interface MirrorWrite<Row> {
  readonly row: Row;
  readonly basis: Basis | undefined;
}

export const jsonOrNull = (value: object | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value);
