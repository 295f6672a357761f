import { createHmac } from 'node:crypto';
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { z } from 'zod';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import { isSameSecret } from '../../../core/web/same-secret.ts';
import { findFirstLocale } from '../../mails/languages.ts';
import type { MailCopy } from '../../store/tables/retry/emails.ts';

/** What a customer's link entitles to: updating the card of one customer, for a time. */
export interface CardUpdateClaims {
  account: string;
  customerId: string;
  /** Because of which; null if it is sent for a renewal, or for the card alone. */
  invoiceId: string | null;
  /** Before its renewal. */
  subscriptionId?: string | undefined;
  /** Kept in whole seconds. */
  expiresAt: DateTime;
  /** How the customer reads, as far as Stripe knows: the page asks nobody. Links of before know neither. */
  reader?: { locale?: string | undefined; zone?: string | undefined } | undefined;
  /** The card is what it is about, whatever is due. */
  isAboutCard?: true;
}

export type LinkReading =
  | { kind: 'valid'; claims: CardUpdateClaims }
  | { kind: 'expired'; claims: CardUpdateClaims }
  /** Not ours, changed on the way, or signed with another secret. */
  | { kind: 'invalid' };

const VERSION = 'v1';
/** Three ids of the greatest allowed length fit with room to spare. */
const MAX_TOKEN_LENGTH = 4096;

const text = z.string().min(1);
const readerSchema = z.object({ locale: text.optional(), zone: text.optional() });
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
 * A link that mail can carry (stripe-facts 6.1): signed, with an end, for one purpose. It holds ids,
 * the language and the zone of its reader and nothing else about a person, and is readable by who has it; only the signature is secret.
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

/** The address of a customer's page, for a mail to them. Undefined without a secret to sign it with. */
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

/** Never throws, whatever the token. It is looked into only after its signature was found to be ours. */
export function readLinkToken(token: string, secret: string, now: DateTime): LinkReading {
  if (token.length > MAX_TOKEN_LENGTH) return { kind: 'invalid' };
  const [version, payload, signature, ...rest] = token.split('.');
  if (version !== VERSION || !payload || !signature || rest.length > 0) return { kind: 'invalid' };
  // The text and not the bytes it encodes: base64 has several spellings for the same bytes.
  if (!isSameSecret(signature, sign(payload, secret))) return { kind: 'invalid' };
  const claims = parseClaims(payload);
  if (!claims) return { kind: 'invalid' };
  return now < claims.expiresAt ? { kind: 'valid', claims } : { kind: 'expired', claims };
}

/** Where the customer goes with a token. `publicUrl` may have a path, if the plugin is mounted below one. */
export function cardUpdateUrl(publicUrl: URL, token: string): URL {
  const url = new URL(publicUrl);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/card-update/${token}`;
  return url;
}

/**
 * What is kept of a mail. The last part of its link is what opens the page, of ours as of Stripe's, so `*` stands in its place
 * wherever it is named: it has no character that HTML or another address would write differently. Pure.
 */
export function copyWithoutToken({ subject, text, html }: MailCopy, link: string): MailCopy {
  const token = new URL(link).pathname.split('/').findLast((part) => part !== '');
  // PostgreSQL takes no text with a zero in it.
  const clean = (part: string) =>
    (token === undefined ? part : part.replaceAll(token, '*')).replaceAll('\0', '');
  return { subject: clean(subject), text: clean(text), html: clean(html) };
}

/** The purpose is part of what is signed, so that no other signature made with this secret fits a link. */
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
