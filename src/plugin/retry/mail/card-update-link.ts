import { createHmac } from 'node:crypto';
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { z } from 'zod';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import { nextInWindow } from '../../../core/limits/sending-window.ts';
import { isSameSecret } from '../../../core/web/same-secret.ts';
import { findFirstLocale } from '../../mails/languages.ts';
import type { EmailCopy } from '../../store/tables/retry/emails.ts';
import type { Objection } from '../actions/objection.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { customerZone } from '../invoice/customer-zone.ts';

/** Permission in a customer's link: update the card of one customer for a time. */
export interface CardUpdateClaims {
  account: string;
  customerId: string;
  /** The cause; null for a renewal or a card alone. */
  invoiceId: string | null;
  /** The subscription before its renewal. */
  subscriptionId?: string | undefined;
  /** Whole seconds. */
  expiresAt: DateTime;
  /** Language and zone known to Stripe, and the number of a copy. Older links have none. */
  reader?: { locale?: string | undefined; zone?: string | undefined; copy?: number | undefined } | undefined;
  /** The link is about the card, regardless of open invoices. */
  isAboutCard?: true;
}

export type LinkReading =
  | { kind: 'valid'; claims: CardUpdateClaims }
  | { kind: 'expired'; claims: CardUpdateClaims }
  /** Not ours, altered, or signed with another secret. */
  | { kind: 'invalid' };

export const LINK_LIFE_DAYS = 14;
const VERSION = 'v1';
/** Larger than any token with three ids. */
const MAX_TOKEN_LENGTH = 4096;

const text = z.string().min(1);
const readerSchema = z.object({ locale: text.optional(), zone: text.optional(), copy: z.int().optional() });
const payloadSchema = z.tuple([
  text,
  text,
  text.nullable(),
  z.int().positive(),
  readerSchema.optional(),
  z.literal('card').optional(),
  text.optional(),
]);

/**
 * A link for emails (stripe-facts 6.1): signed, expiring, for one purpose. It contains ids, language and zone in readable form; only
 * the signature is secret.
 */
export function createLinkToken(claims: CardUpdateClaims, secret: string): string {
  const { account, customerId, invoiceId, subscriptionId, expiresAt, reader, isAboutCard } = claims;
  const fields = [
    account,
    customerId,
    invoiceId,
    Math.floor(expiresAt.toSeconds()),
    ...(reader || isAboutCard ? [reader ?? {}] : []),
    ...(isAboutCard ? ['card'] : []),
    ...(isAboutCard && subscriptionId ? [subscriptionId] : []),
  ];
  const payload = Buffer.from(JSON.stringify(fields)).toString('base64url');
  return `${VERSION}.${payload}.${sign(payload, secret)}`;
}

/** Address of a customer's page in an email. Undefined without a secret. */
export function signLink(
  { linkSecret, publicUrl }: { readonly linkSecret?: string | undefined; readonly publicUrl: URL },
  {
    customer,
    zone,
    ...claims
  }: Omit<CardUpdateClaims, 'reader'> & { customer: Stripe.Customer | undefined; zone: string },
): string | undefined {
  if (linkSecret === undefined) return undefined;
  const reader = { locale: findFirstLocale(customer?.preferred_locales ?? []), zone };
  return cardUpdateUrl(publicUrl, createLinkToken({ ...claims, reader }, linkSecret)).href;
}

/** The page about the card alone, for an email that goes out now; otherwise why it does not. */
export function openCardPage(
  deps: Pick<RetryDeps, 'clock' | 'config' | 'mailer'>,
  customer: Stripe.Customer,
  claims: Omit<CardUpdateClaims, 'expiresAt' | 'reader'>,
): { zone: string; link: string; expiresAt: DateTime } | Objection {
  const now = deps.clock.now();
  const zone = customerZone(deps, customer);
  const expiresAt = now.plus({ days: LINK_LIFE_DAYS });
  const link = signLink(deps.config, { ...claims, expiresAt, isAboutCard: true, customer, zone });
  if (!deps.mailer || link === undefined) return { guard: 'mail_server', reason: { code: 'no_mail_server' } };
  const opening = nextInWindow(now, zone, deps.config.emailWindow);
  if (opening > now) return { guard: 'email_window', reason: { code: 'outside_window' }, until: opening };
  return { zone, link, expiresAt };
}

/** The same permission as a link of its own for one more address. Other links, such as Stripe's, stay as they are. */
export function linkOfCopy(
  link: string,
  copy: number,
  { linkSecret, now }: { readonly linkSecret: string | undefined; readonly now: DateTime },
): string {
  const token = /\/card-update\/([^/?]+)$/.exec(link)?.[1];
  const reading = token && linkSecret ? readLinkToken(token, linkSecret, now) : undefined;
  if (!token || !linkSecret || !reading || reading.kind === 'invalid') return link;
  const { reader, ...claims } = reading.claims;
  return link.replace(token, createLinkToken({ ...claims, reader: { ...reader, copy } }, linkSecret));
}

/** Never throws. The payload is parsed only after its signature was verified. */
export function readLinkToken(token: string, secret: string, now: DateTime): LinkReading {
  if (token.length > MAX_TOKEN_LENGTH) return { kind: 'invalid' };
  const [version, payload, signature, ...rest] = token.split('.');
  if (version !== VERSION || !payload || !signature || rest.length > 0) return { kind: 'invalid' };
  // Compares text, not bytes: base64 has several spellings for the same bytes.
  if (!isSameSecret(signature, sign(payload, secret))) return { kind: 'invalid' };
  const claims = parseClaims(payload);
  if (!claims) return { kind: 'invalid' };
  return now < claims.expiresAt ? { kind: 'valid', claims } : { kind: 'expired', claims };
}

/** Address of the page. `publicUrl` may have a path. */
export function cardUpdateUrl(publicUrl: URL, token: string): URL {
  const url = new URL(publicUrl);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/card-update/${token}`;
  return url;
}

/**
 * The copy of an email to keep, with the secret last part of its link, ours or Stripe's, replaced by `*`. Its characters are spelled the same in
 * HTML and in addresses. Pure.
 */
export function copyWithoutToken({ subject, text, html }: EmailCopy, link: string): EmailCopy {
  const token = new URL(link).pathname.split('/').findLast((part) => part !== '');
  // PostgreSQL stores no NUL.
  const clean = (part: string) =>
    (token === undefined ? part : part.replaceAll(token, '*')).replaceAll('\0', '');
  return { subject: clean(subject), text: clean(text), html: clean(html) };
}

/** Signs the purpose, too, so that no other signature with this secret fits. */
function sign(payload: string, secret: string): string {
  return createHmac('sha256', secret).update(`card-update:${VERSION}:${payload}`).digest('base64url');
}

function parseClaims(payload: string): CardUpdateClaims | undefined {
  try {
    const fields: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const [account, customerId, invoiceId, expiresAt, reader, about, subscriptionId] =
      payloadSchema.parse(fields);
    const claims = { account, customerId, invoiceId, expiresAt: fromUnixSeconds(expiresAt) };
    return {
      ...claims,
      ...(reader ? { reader } : {}),
      ...(about ? { isAboutCard: true as const } : {}),
      ...(subscriptionId ? { subscriptionId } : {}),
    };
  } catch {
    return undefined;
  }
}
