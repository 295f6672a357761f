/** How fresh a mirrored object is: the instant of its state, and whether that instant is Stripe's or ours. */
export type VersionSource = 'event' | 'read';

export interface MirrorVersion {
  version: Date;
  source: VersionSource;
}
