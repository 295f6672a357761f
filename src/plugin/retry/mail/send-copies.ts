/** More recipients of an email to a customer, such as accounts payable: each address gets it once, with a link of its own. */
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { messageOf } from '../../../core/base/errors.ts';
import { stableUuid } from '../../../core/base/stable-uuid.ts';
import { withDeadline } from '../../../core/web/bounded-answer.ts';
import type { Email, EmailResult } from '../../clients/mailer.ts';
import { type AnyAction, holdsClaim } from '../../store/tables/retry/actions.ts';
import { type EmailCopy, type EmailKey, finishCopy } from '../../store/tables/retry/emails.ts';
import type { Obstacle } from '../actions/action-result.ts';
import { auditAction } from '../actions/audit-lines.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { linkOfCopy } from './card-update-link.ts';

export const RETRY_MINUTES = 15;
export const GIVE_UP_DAYS = 3;
/** Sum of the mailer's limits. */
const SEND_SECONDS = 60;
const LOST_CLAIM_SECONDS = 15;
/** All are sent during one claim. */
const MOST_COPIES = 3;
const NAMED_WITHIN_MS = 10_000;
/** A key of the customer's metadata: addresses with commas. */
const METADATA_KEY = 'billing_emails';

export type SendOne = (
  one: EmailCopy & Pick<Email, 'to' | 'messageId'>,
) => Promise<EmailResult | (Obstacle & { readonly until: DateTime })>;

/** Sends while the action is ours. */
export async function sendClaimed(
  { database, clock, mailer }: RetryDeps,
  action: AnyAction,
  mail: Email,
): ReturnType<SendOne> {
  const now = clock.now();
  if (mailer && (await holdsClaim(database, action, now.plus({ seconds: SEND_SECONDS }))))
    return mailer.send(mail);
  return {
    guard: 'claim',
    reason: { code: 'claim_lost' },
    until: now.plus({ seconds: LOST_CLAIM_SECONDS }),
  };
}

interface Copies {
  readonly key: EmailKey;
  readonly customer: Stripe.Customer;
  readonly link: string;
  /** Addresses that need no further try. */
  readonly done: Readonly<Record<string, string>>;
  readonly send: SendOne;
  readonly writeTo: (link: string) => Promise<EmailCopy>;
}

/** Returns why some wait for another try; they do not count as emails of the series. */
export async function sendCopies(
  deps: RetryDeps,
  action: AnyAction,
  { key, customer, link, done, send, writeTo }: Copies,
): Promise<Obstacle | undefined> {
  const { database, clock, config } = deps;
  const now = clock.now();
  let waiting: Obstacle | undefined;
  for (const [index, to] of (await listCopies(deps, customer)).entries()) {
    if (done[to] !== undefined) continue;
    const own = linkOfCopy(link, index + 1, { linkSecret: config.linkSecret, now });
    const messageId = `<${stableUuid(`${action.id} ${to}`)}@${config.publicUrl.hostname}>`;
    const result = await send({ to, messageId, ...(await writeTo(own)) });
    if ('guard' in result) return result;
    if (result.kind === 'sent') {
      await finishCopy(database, key, { to, state: 'sent' });
      continue;
    }
    const reason = { code: 'email_not_taken', answer: result.reason } as const;
    if (result.kind === 'failed' && now <= action.createdAt.plus({ days: GIVE_UP_DAYS })) {
      waiting = { guard: 'mail_server', reason, until: now.plus({ minutes: RETRY_MINUTES }) };
      continue;
    }
    await finishCopy(database, key, { to, state: 'refused' });
    const detail = { action: action.kind, guard: 'mail_server', reason };
    await auditAction(database, action, { kind: 'email.undeliverable', detail }, now);
  }
  return waiting;
}

/** More addresses than the customer's own, which the series belongs to. */
async function listCopies(deps: RetryDeps, customer: Stripe.Customer): Promise<string[]> {
  const { metadata, email } = customer;
  const listed = deps.listRecipients
    ? await askHost(deps, customer)
    : (metadata?.[METADATA_KEY] ?? '').split(/[\s,;]+/);
  const own = email?.toLowerCase();
  const addresses = listed.map((address) => address.trim().toLowerCase());
  return [...new Set(addresses)].filter((address) => address !== '' && address !== own).slice(0, MOST_COPIES);
}

/** A function that fails keeps no email from the customer. */
async function askHost(
  { listRecipients, logger }: RetryDeps,
  customer: Stripe.Customer,
): Promise<readonly string[]> {
  try {
    return await withDeadline(NAMED_WITHIN_MS, async () => (await listRecipients?.(customer)) ?? []);
  } catch (error) {
    logger.error({ customer: customer.id, reason: messageOf(error) }, 'email.recipients failed');
    return [];
  }
}
