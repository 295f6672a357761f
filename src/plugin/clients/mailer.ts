import { createTransport } from 'nodemailer';
import { z } from 'zod';
import { ConfigError } from '../../core/base/errors.ts';
import { hideCardLinks } from '../../core/base/logged-text.ts';
import { isLoopback } from '../../core/base/loopback.ts';
import { ANSWER_BYTES, withDeadline } from '../../core/web/bounded-answer.ts';

export interface Email {
  to: string;
  /** Name of the sender, if its address has none. */
  senderName?: string | undefined;
  subject: string;
  html: string;
  text: string;
  /** Equal in all tries of an email, so that a mail reader shows it once. */
  messageId: string;
  /** Subject of the email, for a sender with records of its own. */
  about: EmailSubject;
}

export interface EmailSubject {
  readonly account: string;
  /** The invoice, or the subscription with an expiring card. */
  readonly id: string;
  readonly customer: string;
  readonly template: string;
}

export type EmailResult =
  | { kind: 'sent'; response: string }
  /** This address or content is unusable: another try would fail, too. */
  | { kind: 'refused'; reason: string }
  /** No answer, "later", or wrong settings of ours: worth another try. */
  | { kind: 'failed'; reason: string };

export interface Mailer {
  /** Never throws: every answer of a mail server is a result. */
  send(email: Email): Promise<EmailResult>;
  close(): void;
}

const LIMITS = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
  maxResponseSize: ANSWER_BYTES,
  disableFileAccess: true,
  disableUrlAccess: true,
};

/** Shorter than the minute for which the claim on an email lasts. */
const SENT_WITHIN_MS = 45_000;

/** A single address of any script, without quotes, comments or display name: Nodemailer splits others. */
const ADDRESS = /^[^\s"(),:;<>@[\\\]\p{C}]+@[^\s"(),:;<>@[\\\]\p{C}]+$/u;
const NO_ADDRESS: EmailResult = { kind: 'refused', reason: 'the address is not of the form name@host' };

/** Suppresses out-of-office answers (RFC 3834, and Exchange's own header), but not delivery reports. */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'OOF, AutoReply' };

/**
 * Sends email through an SMTP server, one connection each. Email and login are always encrypted with a valid certificate: `smtps://` from
 * the start, `smtp://` after STARTTLS.
 */
export function createMailer(options: {
  smtpUrl: string;
  from: string;
  replyTo?: string | undefined;
  sentWithinMs?: number;
}): Mailer {
  const { sentWithinMs = SENT_WITHIN_MS, replyTo } = options;
  const { transport, login } = openTransport(options.smtpUrl, {
    ...(replyTo && { replyTo }),
    headers: AUTOMATIC,
  });
  return {
    send: async ({ to, senderName, about: _about, ...content }) => {
      if (!ADDRESS.test(to)) return NO_ADDRESS;
      try {
        // As an object the address is taken literally: in a text, a comma would split it.
        const from = nameSender(options.from, senderName);
        const { response } = await withDeadline(sentWithinMs, (signal) =>
          transport.sendMail({ ...content, from, to: { name: '', address: to }, signal }),
        );
        return { kind: 'sent', response: hideCardLinks(response) };
      } catch (error) {
        return { kind: isRefusal(error) ? 'refused' : 'failed', reason: describeFailure(error, login) };
      }
    },
    close: () => transport.close(),
  };
}

/** Stripe's customer, by the fields that recipients may depend on. The package's declarations name no other package. */
interface EmailedCustomer {
  readonly id: string;
  readonly name?: string | null;
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** More addresses that get each email about a customer. */
export type ListRecipients = (customer: EmailedCustomer) => readonly string[] | Promise<readonly string[]>;

/** An email for the host application to send. */
export interface OutgoingMail extends Omit<Email, 'senderName'> {
  /** Headers to send with it, which suppress automatic answers. */
  readonly headers: Readonly<Record<string, string>>;
  /** EMAIL_FROM with the merchant's name if it has none; EMAIL_REPLY_TO unchanged. */
  readonly from?: string;
  readonly replyTo?: string;
}

/** Resolves once the email is sent; `refused` rules out another try. A rejection is retried for three days. */
// biome-ignore lint/suspicious/noConfusingVoidType: a host's function may return nothing.
export type SendEmail = (email: OutgoingMail) => Promise<{ readonly refused: string } | void>;

/** `"Acme" <billing@acme.example>` for a bare address. */
function nameSender(from: string, name: string | undefined): string {
  if (!name || !ADDRESS.test(from)) return from;
  return `"${name.replace(/["\\]/g, '\\$&')}" <${from}>`;
}

/** A sender without an answer gets the email once more, with the same Message-ID. */
export function createHostMailer(
  sendEmail: SendEmail,
  { from, replyTo }: { from: string; replyTo: string | undefined },
  withinMs = SENT_WITHIN_MS,
): Mailer {
  return {
    send: async ({ senderName, ...email }) => {
      const sender = { ...(from && { from: nameSender(from, senderName) }), ...(replyTo && { replyTo }) };
      if (!ADDRESS.test(email.to)) return NO_ADDRESS;
      try {
        const answer = await withDeadline(withinMs, () =>
          sendEmail({ ...email, ...sender, headers: AUTOMATIC }),
        );
        if (answer?.refused === undefined) return { kind: 'sent', response: 'taken by sendEmail' };
        return { kind: 'refused', reason: oneLine(String(answer.refused)) };
      } catch (error) {
        return { kind: 'failed', reason: describeFailure(error, undefined) };
      }
    },
    close: () => {},
  };
}

/** Connects and logs in without an email. Returns the failure, if any. Throws ConfigError for an invalid address. */
export async function checkMailServer(smtpUrl: string): Promise<string | undefined> {
  const { transport, login } = openTransport(smtpUrl);
  try {
    await withDeadline(SENT_WITHIN_MS, () => transport.verify());
    return undefined;
  } catch (error) {
    return describeFailure(error, login);
  } finally {
    transport.close();
  }
}

interface Login {
  user: string;
  pass: string;
}

function openTransport(smtpUrl: string, defaults: { replyTo?: string; headers?: typeof AUTOMATIC } = {}) {
  const { url, login } = readUrl(smtpUrl);
  const isLocal = isLoopback(url.hostname);
  const secure = url.protocol === 'smtps:' || url.port === '465';
  const server = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !isLocal,
    tls: { rejectUnauthorized: !isLocal },
    ...(login && { auth: login }),
  };
  return { transport: createTransport({ ...server, ...LIMITS }, defaults), login };
}

/** Leaves out the cause: it would repeat the address with its password. */
function readUrl(smtpUrl: string): { url: URL; login: Login | undefined } {
  try {
    const url = new URL(smtpUrl);
    const [user, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    return { url, login: user ? { user, pass } : undefined };
  } catch {
    throw new ConfigError([
      'SMTP_URL is no address like smtp://user:password@host:587 (write special characters as %XX)',
    ]);
  }
}

const smtpError = z.object({
  message: z.string(),
  code: z.string().optional().catch(undefined),
  command: z.string().optional().catch(undefined),
  responseCode: z.number().optional().catch(undefined),
});

/** A 5xx to the login or our own address is for the operator, and not about this email. */
function isRefusal(error: unknown): boolean {
  const { data } = smtpError.safeParse(error);
  if (data?.code !== 'EENVELOPE' && data?.code !== 'EMESSAGE') return false;
  if (data.responseCode === undefined) return data.command === 'API';
  return data.responseCode >= 500 && (data.command === 'RCPT TO' || data.command === 'DATA');
}

/** One line for storage and logs, without login and link, which the server may repeat. */
function describeFailure(error: unknown, login: Login | undefined): string {
  const { data } = smtpError.safeParse(error);
  const text = data ? [data.code, data.message].filter(Boolean).join(': ') : 'unknown';
  const { user = '', pass = '' } = login ?? {};
  const secrets = [`\0${user}\0${pass}`, pass, user].filter(Boolean);
  const hidden = secrets.flatMap((secret) => [secret, Buffer.from(secret).toString('base64')]);
  return oneLine(hidden.reduce((reason, secret) => reason.replaceAll(secret, '[hidden]'), text));
}

function oneLine(text: string): string {
  return hideCardLinks(text).replace(/\s+/g, ' ').slice(0, 300);
}
