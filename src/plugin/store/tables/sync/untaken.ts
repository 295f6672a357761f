/** Kinds of records that a service does not accept: offered once, and not again until the service changes. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { Config } from '../../../settings/config.ts';
import { setCursor } from './cursors.ts';
import { DIRTY, OUTBOX_KINDS, OUTBOX_TABLES, type OutboxKind } from './outbox.ts';

/** `short_periods`: billing periods in days and weeks, which the contract does not show. */
const KINDS = [...OUTBOX_KINDS, 'short_periods'] as const;
type UntakenKind = (typeof KINDS)[number];

export interface Untaken {
  account: string;
  kind: UntakenKind;
  service: string;
}

const nameOf = (kind: UntakenKind) => `untaken:${kind}`;

export function listUntaken(db: Queryable) {
  return db.query<Untaken>(
    `select c.account, k.kind, c.value as service from unnest($1::text[], $2::text[]) as k (kind, name)
     join payment_retry.cursors c on c.name = k.name order by c.account, k.kind`,
    [KINDS, KINDS.map(nameOf)],
  );
}

type Settings = Pick<Config, 'forward'>;

/** Kinds no longer offered to the account's service. */
export async function findLeftOut(db: Queryable, { forward }: Settings, account: string) {
  const here = (await listUntaken(db)).filter((one) => one.account === account && one.service === forward.to);
  const offered: readonly UntakenKind[] = ['short_periods', ...forward.offered];
  return here.map(({ kind }) => kind).filter((kind) => offered.includes(kind));
}

/** Kinds forwarded in addition to subscriptions, which report failed payments. */
export async function listForwarded(db: Queryable, config: Settings, account: string): Promise<OutboxKind[]> {
  const leftOut = await findLeftOut(db, config, account);
  const { forward } = config;
  return (['invoices', 'transactions'] as const).filter((kind) => forward[kind] && !leftOut.includes(kind));
}

/** False if the service has accepted nothing of the account yet: then its address is wrong, and its paths are unknown. */
export async function noteUntaken(db: Queryable, { account, kind, service }: Untaken, now: DateTime) {
  const isKnown = await db.has(
    `select 1 as one from payment_retry.subscriptions where account = $1 and delivered_version is not null limit 1`,
    [account],
  );
  if (isKnown) await setCursor(db, { account, name: nameOf(kind), value: service }, now);
  return isKnown;
}

/** Dismisses current versions as if refused; the next version would be offered again. `only`: fields of the message. */
export async function setAside(
  db: Queryable,
  kind: OutboxKind,
  account: string,
  { answer, only = {} }: { readonly answer: string; readonly only?: object },
) {
  await db.query(
    `update ${OUTBOX_TABLES[kind]} set refused_version = version, refused_answer = $2, dismissed_version = version, claimed_until = null
     where account = $1 and ${DIRTY} and message @> $3::jsonb`,
    [account, answer, JSON.stringify(only)],
  );
}
