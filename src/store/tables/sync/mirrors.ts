/** What the tables of mirrored objects have in common. */
import type { Queryable } from '../../engine/database.ts';
import type { MirrorVersion } from '../../engine/mirror-version.ts';

export type MirroredKind = 'subscriptions' | 'invoices';

export const MIRROR_TABLES: Readonly<Record<MirroredKind, string>> = {
  subscriptions: 'payment_retry.subscriptions',
  invoices: 'payment_retry.invoices',
};

export interface MirroredKey {
  account: string;
  kind: MirroredKind;
  id: string;
}

export async function findMirrorVersion(
  db: Queryable,
  { account, kind, id }: MirroredKey,
): Promise<MirrorVersion | undefined> {
  const [row] = await db.query<MirrorVersion>(
    `select version, version_source as source from ${MIRROR_TABLES[kind]} where account = $1 and id = $2`,
    [account, id],
  );
  return row;
}

/** Of several objects, by their ids; those that are not known are left out. */
export async function listMirrorVersions(
  db: Queryable,
  { account, kind, ids }: { account: string; kind: MirroredKind; ids: readonly string[] },
): Promise<ReadonlyMap<string, MirrorVersion>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<MirrorVersion & { id: string }>(
    // One by one: with young statistics the planner would read the account's others, too.
    `select mirror.* from unnest($2::text[]) as given (id), lateral (
       select id, version, version_source as source from ${MIRROR_TABLES[kind]}
       where account = $1 and id = given.id limit 1) as mirror`,
    [account, ids],
  );
  return new Map(rows.map(({ id, ...version }) => [id, version]));
}
