import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import { LACK_OF_FUNDS } from '../../../../core/limits/card-rest.ts';
import { DAYS_AFTER_LAST_REQUEST, RECOVERY_DAYS } from '../../../../core/limits/reminder-days.ts';
import { REQUESTS, SERIES } from '../../../actions/action-kinds.ts';
import { lock } from './attempts.ts';
import type { InvoiceKey } from './takeovers.ts';

export interface EmailKey {
  account: string;
  template: string;
  step: string;
}

export interface StoredEmail {
  recipient: string;
  messageId: string;
  state: string;
  /** More addresses, each `sent` or `refused`. */
  copies: Readonly<Record<string, string>>;
}

/** The text of an email, without the token of its link. */
export interface EmailCopy {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface NewEmail extends EmailKey {
  /** The invoice that caused it; null before a renewal, when there is none yet. */
  invoiceId: string | null;
  subscriptionId?: string | undefined;
  recipient: string;
  /** The connected account it is sent for; undefined for our own. */
  seller?: string | undefined;
  messageId: string;
  copy: EmailCopy;
  promisedAt?: DateTime | undefined;
  /** All invoices in it, if more than one. */
  named?: readonly string[] | undefined;
  /** The campaign, unless it starts one. */
  campaign?: string | null | undefined;
  /** Place in the campaign; default `first`. */
  notice?: string | undefined;
  /** Default `en`. */
  language?: string | undefined;
  /** Reserved only if no other email of the address's series was since; otherwise nothing is. */
  aloneSince?: DateTime | undefined;
}

/**
 * Reserves an email before it is sent, or returns the reserved one: `sent` must not go out again; `sending` was interrupted and goes
 * out under the same Message-ID, with the current text, so that a mail reader shows it once.
 */
export async function reserveEmail(tx: Queryable, email: NewEmail, now: DateTime) {
  const key = [email.account, email.template, email.step];
  await lock(tx, email.account, `email ${email.recipient.toLowerCase()}`);
  await tx.query(
    `insert into payment_retry.emails as known (account, template, step, recipient, message_id, state, created_at, promised_at,
       subject, body_text, body_html, invoice_id, subscription_id, named, campaign, notice, language, seller)
     select $1, $2, $3, $4, $5, 'sending', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17
     where $18::timestamptz is null
       or exists (select from payment_retry.emails own where own.account = $1 and own.step = $3 and own.template = $2)
       or not exists (select from payment_retry.emails e where e.account = $1 and e.step <> $3 and lower(e.recipient) = lower($4)
         and e.seller is not distinct from $17 and e.template = any($19) and e.created_at >= $18)
     on conflict (account, step, template) do update
       set subject = excluded.subject, body_text = excluded.body_text, body_html = excluded.body_html,
         named = excluded.named, campaign = excluded.campaign, notice = excluded.notice, language = excluded.language
       where known.state = 'sending'`,
    [
      ...[...key, email.recipient, email.messageId, now, email.promisedAt],
      ...[email.copy.subject, email.copy.text, email.copy.html],
      ...[
        email.invoiceId,
        email.subscriptionId,
        email.named ?? (email.invoiceId === null ? [] : [email.invoiceId]),
      ],
      email.campaign ?? email.step,
      ...[email.notice ?? 'first', email.language ?? 'en', email.seller, email.aloneSince, SERIES],
    ],
  );
  return tx.find<StoredEmail>(
    `select recipient, message_id, state, copies from payment_retry.emails
     where account = $1 and template = $2 and step = $3`,
    key,
  );
}

/** Records the copy of an email to one more address, unless its addresses were erased meanwhile. */
export async function finishCopy(
  db: Queryable,
  { account, template, step }: EmailKey,
  { to, state }: { readonly to: string; readonly state: 'sent' | 'refused' },
) {
  await db.query(
    `update payment_retry.emails set copies = copies || jsonb_build_object($4::text, $5::text)
     where account = $1 and template = $2 and step = $3 and recipient <> ''`,
    [account, template, step, to, state],
  );
}

export async function finishEmail(
  db: Queryable,
  key: EmailKey,
  result: { state: 'sent' | 'refused' | 'given_up'; detail: string },
  now: DateTime,
) {
  await db.query(
    `update payment_retry.emails set state = $4, detail = $5, sent_at = $6
     where account = $1 and template = $2 and step = $3`,
    [key.account, key.template, key.step, result.state, result.detail, now],
  );
}

/** The latest sent email about the invoice. */
export function findLastEmail(db: Queryable, { account, invoiceId }: InvoiceKey) {
  return db.find<{ recipient: string; sentAt: DateTime<true> }>(
    `select recipient, sent_at from payment_retry.emails
     where account = $1 and named @> array[$2] and state = 'sent' order by sent_at desc limit 1`,
    [account, invoiceId],
  );
}

/** Records the first opening, or the last use of the button, in the latest email about it: links of all its emails share a page. */
export async function noteLinkUse(
  db: Queryable,
  { account, invoiceId, subscriptionId }: Pick<NewEmail, 'account' | 'invoiceId' | 'subscriptionId'>,
  use: 'opened' | 'continued',
  at: DateTime,
) {
  const isNews = use === 'opened' ? 'opened_at is null' : 'true';
  await db.query(
    `update payment_retry.emails
     set opened_at = coalesce(opened_at, $3)${use === 'continued' ? ', continued_at = $3' : ''}
     where step = (select step from payment_retry.emails
       where account = $1 and (named @> array[$2] or invoice_id is null and subscription_id = $4) and state = 'sent'
       order by sent_at desc limit 1) and ${isNews}`,
    [account, invoiceId, at, subscriptionId],
  );
}

/** When the customer last continued from its page. */
export function findLinkUse(db: Queryable, { account, invoiceId }: InvoiceKey) {
  return db.findValue<DateTime<true>>(
    `select max(continued_at) as at from payment_retry.emails where account = $1 and named @> array[$2]`,
    [account, invoiceId],
  );
}

/** The latest date that an email promised, in force from the moment it may have gone out. */
export function findPromise(db: Queryable, { account, invoiceId }: InvoiceKey) {
  return db.findValue<DateTime<true>>(
    `select max(promised_at) as promised_at from payment_retry.emails
     where account = $1 and named @> array[$2] and state in ('sending', 'sent')`,
    [account, invoiceId],
  );
}

/** A series of emails to one address for one seller; a new debt joins it. */
export interface EmailCampaign {
  readonly id: string | null;
  /** Sent requests; the first notice is not one. */
  readonly count: number;
  readonly firstAt: DateTime<true> | null;
  readonly lastAt: DateTime<true> | null;
  /** Invoice, template and all invoices of the last email. */
  readonly lastFor: string | null;
  readonly lastTemplate: string | null;
  readonly lastNamed: readonly string[];
  /** All invoices named in the series. */
  readonly named: readonly string[];
  /** Another email of the series is being sent. */
  readonly isSending: boolean;
  /** An earlier series for the refused card, or some of these debts, ended without result. */
  readonly isFollowUp: boolean;
  /** The latest decline of these debts was for lack of funds. */
  readonly lacksFunds: boolean;
  /** The last notice was sent. */
  readonly hasLast: boolean;
}

/** Whether an email had announced by then that a new card pays the invoice. */
export function wasNamedInEmail(
  db: Queryable,
  { account, invoiceId, before }: InvoiceKey & { before: DateTime },
) {
  return db.has(
    `select 1 as one from payment_retry.emails
     where account = $1 and template = 'card_update' and state = 'sent' and named @> array[$2] and sent_at <= $3 limit 1`,
    [account, invoiceId, before],
  );
}

export const NO_CAMPAIGN: EmailCampaign = {
  id: null,
  count: 0,
  firstAt: null,
  lastAt: null,
  lastFor: null,
  lastTemplate: null,
  lastNamed: [],
  named: [],
  isSending: false,
  isFollowUp: false,
  lacksFunds: false,
  hasLast: false,
};

interface EmailQuery {
  /** The invoices in the email, and its address. */
  readonly invoiceIds: readonly string[];
  readonly recipient: string | undefined;
  readonly seller?: string | undefined;
  /** The method to be charged next. */
  readonly method: { readonly id: string; readonly fingerprint?: string | undefined } | undefined;
  readonly now: DateTime;
}

/**
 * The latest series that named one of the invoices, or that goes to the same address for the same seller about other open invoices,
 * without this step's email. An earlier series is recognized by the method to be charged next: its own debts may be closed.
 */
export function readCampaign(
  db: Queryable,
  { account, step }: Pick<EmailKey, 'account' | 'step'>,
  { invoiceIds, recipient, seller, method, now }: EmailQuery,
): Promise<EmailCampaign> {
  const others = `e.account = $1 and e.template = any($2) and e.step <> $3 and e.seller is not distinct from $13`;
  return db.get<EmailCampaign & { isSending: boolean }>(
    `with latest as (
       select campaign from payment_retry.emails e where ${others} and state = 'sent' and (named && $4::text[]
         or lower(recipient) = lower($8) and sent_at > $6::timestamptz - make_interval(days => $9)
         and exists (select from payment_retry.invoices i where i.account = $1 and i.id = any(e.named) and i.status = 'open'))
       order by sent_at desc limit 1),
     emails as (
       select * from payment_retry.emails e where ${others} and state = 'sent' and campaign = (select campaign from latest)),
     tried as (
       select invoice_id, started_at, outcome, coalesce(decline_code, code) as code from payment_retry.attempts
       where account = $1 and (fingerprint = $12
         or invoice_id = any($4) and payment_method = $11 and (fingerprint is null or $12 is null))),
     answer as (
       select code from tried where invoice_id = any($4) and outcome <> 'not_executed' order by started_at desc limit 1),
     began as (select coalesce(min(sent_at), $6) as at from emails)
     select (select campaign from latest) as id, requests.count, requests.first_at,
       last.sent_at as last_at, last.invoice_id as last_for, last.template as last_template,
       coalesce(last.named, '{}') as last_named,
       array(select distinct unnest(named) from emails) as named,
       exists (select from emails where notice = 'last') as has_last,
       coalesce((select code = $7 from answer), false) as lacks_funds,
       exists (
         select from payment_retry.emails e, began
         where ${others} and state = 'sent' and notice = 'last' and campaign is distinct from (select campaign from latest)
           and named && ($4::text[] || array(select invoice_id from tried))
           and sent_at <= began.at - make_interval(days => $5)
           and not exists (
             select from tried where outcome = 'paid' and started_at between e.sent_at and began.at)) as is_follow_up,
       exists (
         select from payment_retry.emails e join payment_retry.actions a on a.id::text = e.step
         where ${others} and e.state = 'sending' and (e.named && $4::text[] or lower(e.recipient) = lower($8))
           and a.state in ('scheduled', 'running')) as is_sending
     from (select count(*) as count, min(sent_at) as first_at from emails where template = any($10)) requests
     left join lateral (select * from emails order by sent_at desc limit 1) last on true`,
    [
      ...[account, SERIES, step, invoiceIds, DAYS_AFTER_LAST_REQUEST, now, LACK_OF_FUNDS],
      ...[recipient, RECOVERY_DAYS, REQUESTS, method?.id, method?.fingerprint, seller],
    ],
  );
}
