/** What is taken out of rows that stay: what was received word for word, addresses, and what mails said. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../engine/database.ts';

/** One statement changes so many rows at most, so that nobody waits for its locks. */
export interface Portion {
  readonly before: DateTime;
  readonly limit: number;
}

/** One that failed keeps its body: a person may have it processed once more. */
export function dropEventBodies(db: Queryable, portion: Portion): Promise<number> {
  return change(
    db,
    `update payment_retry.events set payload = null where (account, id) in (
       select account, id from payment_retry.events
       where payload is not null and processed_at is not null and results->0->>'code' <> 'dead' and created_at < $1
       order by created_at limit $2 for update skip locked)`,
    portion,
  );
}

export function dropInstructionBodies(db: Queryable, portion: Portion): Promise<number> {
  return change(
    db,
    `update payment_retry.instructions set body = '' where (account, request_id) in (
       select account, request_id from payment_retry.instructions
       where body <> '' and state <> 'failed' and handled_at < $1
       order by handled_at limit $2 for update skip locked)`,
    portion,
  );
}

/** That a mail went out, when and about what stays known. */
export function dropAddresses(db: Queryable, portion: Portion): Promise<number> {
  return change(
    db,
    `update payment_retry.emails set recipient = '', detail = null, subject = null, body_text = null, body_html = null
     where (account, step, template) in (
       select account, step, template from payment_retry.emails
       where recipient <> '' and sent_at < $1 order by sent_at limit $2 for update skip locked)`,
    portion,
  );
}

async function change(db: Queryable, text: string, { before, limit }: Portion): Promise<number> {
  const rows = await db.query(`${text} returning 1 as one`, [before, limit]);
  return rows.length;
}
