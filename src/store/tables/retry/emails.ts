import type { DateTime } from 'luxon';
import type { Queryable } from '../../engine/database.ts';

export interface EmailKey {
  account: string;
  invoiceId: string;
  template: string;
  step: string;
}

export interface StoredEmail {
  recipient: string;
  messageId: string;
  state: string;
}

/** What a mail says, without the token of its link. */
export interface MailCopy {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface NewEmail extends EmailKey {
  recipient: string;
  messageId: string;
  copy: MailCopy;
  promisedAt?: DateTime | undefined;
}

/**
 * Reserves a mail before it is sent. One that was reserved before is returned as it stands: `sent` must not go out
 * again; `sending` was cut off and goes out under the same Message-ID, so that a mail reader shows it once, with what it says now.
 */
export async function reserveEmail(db: Queryable, email: NewEmail, now: DateTime): Promise<StoredEmail> {
  const key = [email.account, email.invoiceId, email.template, email.step];
  await db.query(
    `insert into payment_retry.emails as known (account, invoice_id, template, step, recipient, message_id, state, created_at,
       promised_at, subject, body_text, body_html)
     values ($1, $2, $3, $4, $5, $6, 'sending', $7, $8, $9, $10, $11)
     on conflict (account, invoice_id, template, step) do update
       set subject = excluded.subject, body_text = excluded.body_text, body_html = excluded.body_html
       where known.state = 'sending'`,
    [
      ...[...key, email.recipient, email.messageId, now.toISO(), email.promisedAt?.toISO() ?? null],
      ...[email.copy.subject, email.copy.text, email.copy.html],
    ],
  );
  const [row] = await db.query<StoredEmail>(
    `select recipient, message_id, state from payment_retry.emails
     where account = $1 and invoice_id = $2 and template = $3 and step = $4`,
    key,
  );
  if (!row) throw new Error(`The mail ${key.join(' ')} vanished after it was reserved.`);
  return row;
}

export async function finishEmail(
  db: Queryable,
  key: EmailKey,
  result: { state: 'sent' | 'refused' | 'given_up'; detail: string },
  now: DateTime,
): Promise<void> {
  await db.query(
    `update payment_retry.emails set state = $5, detail = $6, sent_at = $7
     where account = $1 and invoice_id = $2 and template = $3 and step = $4`,
    [key.account, key.invoiceId, key.template, key.step, result.state, result.detail, now.toISO()],
  );
}

/** The latest day that a mail named, in force from the moment it may have gone out. */
export async function findPromise(
  db: Queryable,
  { account, invoiceId }: Pick<EmailKey, 'account' | 'invoiceId'>,
): Promise<Date | undefined> {
  const [row] = await db.query<{ promisedAt: Date | null }>(
    `select max(promised_at) as promised_at from payment_retry.emails
     where account = $1 and invoice_id = $2 and state in ('sending', 'sent')`,
    [account, invoiceId],
  );
  return row?.promisedAt ?? undefined;
}

/** Other mails of this template about this invoice that went out. */
export async function readSentEmails(
  db: Queryable,
  key: EmailKey,
): Promise<{ count: number; lastAt: Date | null }> {
  const [row] = await db.query<{ count: number; lastAt: Date | null }>(
    `select count(*) as count, max(sent_at) as last_at from payment_retry.emails
     where account = $1 and invoice_id = $2 and template = $3 and step <> $4 and state = 'sent'`,
    [key.account, key.invoiceId, key.template, key.step],
  );
  return row ?? { count: 0, lastAt: null };
}
