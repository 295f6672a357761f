/** Common parts of the tables of mirrored objects. */
import type { DateTime } from 'luxon';
import { fromUnixSeconds } from '../../../../core/base/clock.ts';
import type { Queryable } from '../../../../core/database/database.ts';
import { toColumn, toParameter } from '../../../../core/database/rows.ts';
import type { Reason } from '../../../reasons/reason.ts';
import type { MirrorVersion, MirrorWrite, VersionSource } from './mirror-version.ts';

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

export interface MirrorRow {
  account: string;
  id: string;
  customerId: string;
  status: string;
  message: object | undefined;
  /** Why a required message is missing. */
  unmappedReason?: Reason | undefined;
  version: DateTime;
  versionSource: VersionSource;
}

interface Described<Own extends string> {
  readonly name: string;
  /** SQL types by field, in addition to those of every mirror. */
  readonly columns: Readonly<Record<Own, string>>;
  /** SQL of the new message, of the stored row `s` and the given one `p`. */
  readonly message: string;
  /** Condition on `p` under which the last message stays. */
  readonly isKept: string;
}

const SHARED = { customerId: 'text', status: 'text', unmappedReason: 'jsonb' };
/** Fields with their own handling: `basis` and `replaces` are versions of stored rows. */
const GIVEN = {
  id: 'text',
  message: 'jsonb',
  ending: 'jsonb',
  version: 'timestamptz',
  versionSource: 'text',
  basis: 'timestamptz',
  replaces: 'timestamptz',
};

export type MirrorTable = ReturnType<typeof describeMirror>;

export function describeMirror<Own extends string>({ columns, ...table }: Described<Own>) {
  const own = { ...SHARED, ...columns };
  return { ...table, ...describeGiven({ ...own, ...GIVEN }), columns: Object.keys(own).map(toColumn) };
}

/** Binds rows as `$2`, by the SQL types of their fields. */
export function describeGiven(fields: Readonly<Record<string, string>>) {
  const types = Object.entries(fields).map(([field, type]) => ({ field, column: toColumn(field), type }));
  return {
    columns: types.map(({ column }) => column),
    given: `select * from json_to_recordset($2::json) as given (${types.map(({ column, type }) => `${column} ${type}`).join(', ')})`,
    give: (rows: readonly object[]) =>
      JSON.stringify(
        rows.map((row) => {
          const values: Record<string, unknown> = {};
          for (const { field, column } of types) values[column] = toParameter(Reflect.get(row, field));
          return values;
        }),
      ),
  };
}

const NEVER = fromUnixSeconds(0);

/**
 * Stores newer states and returns the ids of stored rows. A row stays if it is as new, or has changed since `basis`: another
 * writer was faster, and versions alone do not order the two. Sorted by id, so that writers lock in one order.
 */
export async function upsertMirrors(
  db: Queryable,
  { name, columns, given, give, message, isKept }: MirrorTable,
  { account, writes }: { account: string; writes: readonly MirrorWrite<MirrorRow>[] },
): Promise<ReadonlySet<string>> {
  if (writes.length === 0) return new Set();
  const names = [...columns, 'version', 'version_source'];
  const all = names.join(', ');
  const excluded = names.map((column) => `excluded.${column}`).join(', ');
  const follow = (version: string) =>
    `case when ${isKept} and s.${version} = s.version then excluded.version else s.${version} end`;
  const rows = writes.map(({ row, basis }) => ({
    ...row,
    basis: basis && (basis.stored?.version ?? NEVER),
  }));
  const applied = await db.query<{ id: string }>(
    `with given as materialized (${given})
     insert into ${name} as s (account, id, ${all}, message)
     select $1, id, ${all}, message from given order by id
     on conflict (account, id) do update
     set (${all}, message, delivered_version, refused_version) = (
       select ${excluded}, ${message}, ${follow('delivered_version')}, ${follow('refused_version')} from (
         -- A look through all given rows, which comes to pass only without a new message.
         select excluded.message, (select ending from given where given.id = excluded.id) as ending) as p)
     where s.version < excluded.version and (
       excluded.id in (select id from given where basis is null)
       or (excluded.id, s.version) in (select id, basis from given where basis is not null))
     returning id`,
    [account, give(rows)],
  );
  return new Set(applied.map(({ id }) => id));
}

export function findMirrorVersion(db: Queryable, { account, kind, id }: MirroredKey) {
  return db.find<MirrorVersion>(
    `select version, version_source as source from ${MIRROR_TABLES[kind]} where account = $1 and id = $2`,
    [account, id],
  );
}

/** Versions by id; unknown objects are left out. */
export async function listMirrorVersions(
  db: Queryable,
  { account, kind, ids }: { account: string; kind: MirroredKind; ids: readonly string[] },
): Promise<ReadonlyMap<string, MirrorVersion>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<MirrorVersion & { id: string }>(
    // One by one: with young statistics the planner would read all rows of the account.
    `select mirror.* from unnest($2::text[]) as given (id), lateral (
       select id, version, version_source as source from ${MIRROR_TABLES[kind]}
       where account = $1 and id = given.id limit 1) as mirror`,
    [account, ids],
  );
  return new Map(rows.map(({ id, ...version }) => [id, version]));
}
