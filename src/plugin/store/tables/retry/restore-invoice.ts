/** State of an invoice before a person's operation, and its restoration. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import type { Queryable } from '../../../../core/database/database.ts';
import { hasNewsSince } from './holds.ts';
import type { InvoiceKey } from './takeovers.ts';

/** Objects only, with a person's words under `note`, so that `without_words` clears them for a forgotten customer. */
const before = z.object({
  hold: z.record(z.string(), z.unknown()).nullable(),
  postponement: z.record(z.string(), z.unknown()).nullable(),
  ending: z.record(z.string(), z.unknown()).nullable(),
  /** Planned and undecided actions by id. */
  actions: z.record(z.string(), z.record(z.string(), z.unknown())),
});
export type InvoiceBefore = z.output<typeof before>;

export function parseBefore(stored: unknown): InvoiceBefore | undefined {
  return before.safeParse(stored).data;
}

export async function readBefore(tx: Queryable, { account, invoiceId }: InvoiceKey) {
  const of = (table: string) => `from payment_retry.${table} where account = $1 and invoice_id = $2`;
  const stored = await tx.getValue(
    `select jsonb_build_object(
       'hold', (select jsonb_build_object('note', reason, 'heldAt', held_at, 'releasedAt', released_at) ${of('holds')}),
       'postponement', (select jsonb_build_object('until', until, 'note', note) ${of('postponements')}),
       'ending', (select jsonb_build_object('givenUpAt', given_up_at, 'reason', reason) ${of('endings')} and started_at is null),
       'actions', (select coalesce(jsonb_object_agg(id::text, jsonb_build_object('state', state, 'dueAt', due_at, 'reason', reason)), '{}')
         ${of('actions')} and state in ('scheduled', 'undecided') and closed_at is null)) as before`,
    [account, invoiceId],
  );
  return parseBefore(stored);
}

export interface Reopened {
  readonly id: string;
  readonly dueAt: DateTime<true>;
}

/** Restores the state; overdue actions are due now. Returns the planned ones. */
export async function restoreInvoice(
  tx: Queryable,
  { account, invoiceId }: InvoiceKey,
  known: InvoiceBefore,
  now: DateTime,
) {
  const key = [account, invoiceId];
  for (const table of ['holds', 'postponements'])
    await tx.query(`delete from payment_retry.${table} where account = $1 and invoice_id = $2`, key);
  await tx.query(
    `insert into payment_retry.holds (account, invoice_id, reason, held_at, released_at)
     select $1, $2, hold->>'note', (hold->>'heldAt')::timestamptz, (hold->>'releasedAt')::timestamptz
     from (select $3::jsonb as hold) as known where jsonb_typeof(hold) = 'object'`,
    [...key, JSON.stringify(known.hold)],
  );
  await tx.query(
    `insert into payment_retry.postponements (account, invoice_id, until, note)
     select $1, $2, (postponement->>'until')::timestamptz, postponement->>'note'
     from (select $3::jsonb as postponement) as known where jsonb_typeof(postponement) = 'object'`,
    [...key, JSON.stringify(known.postponement)],
  );
  await tx.query(
    `insert into payment_retry.endings (account, invoice_id, given_up_at, reason)
     select $1, $2, (ending->>'givenUpAt')::timestamptz, ending->'reason'
     from (select $3::jsonb as ending) as known where jsonb_typeof(ending) = 'object'
     on conflict (account, invoice_id) do nothing`,
    [...key, JSON.stringify(known.ending)],
  );
  return tx.query<Reopened>(
    `with put_back as (
       update payment_retry.actions set state = known.value->>'state', closed_at = null, reason = nullif(known.value->'reason', 'null'),
         due_at = greatest((known.value->>'dueAt')::timestamptz, case when known.value->>'state' = 'scheduled' then $4::timestamptz end)
       from jsonb_each($3::jsonb) as known
       where actions.account = $1 and actions.invoice_id = $2 and actions.id = known.key::uuid
       returning actions.id, actions.due_at, actions.state, actions.cause, actions.reference),
     -- The service knows another outcome.
     told as (update payment_retry.instructions set reported = 'postponed' from put_back
       where account = $1 and request_id = reference and cause = 'instruction' and reported is not null)
     select id, due_at from put_back where state = 'scheduled' order by due_at`,
    [...key, JSON.stringify(known.actions), now],
  );
}

/** Whether anything changed since the operation of this audit entry. */
export async function hasChangedSince(
  tx: Queryable,
  { account, invoiceId }: InvoiceKey,
  line: { readonly id: number; readonly at: DateTime<true>; readonly before: InvoiceBefore },
) {
  if (await hasNewsSince(tx, { account, invoiceId }, line.at, line.id)) return true;
  return tx.has(
    `select 1 as one from payment_retry.attempts where account = $1 and invoice_id = $2 and started_at > $3
     union all select 1 from payment_retry.actions where account = $1 and invoice_id = $2
       and (state = 'running' or state in ('scheduled', 'undecided') and closed_at is null and id::text <> all($4::text[])) limit 1`,
    [account, invoiceId, line.at, Object.keys(line.before.actions)],
  );
}
