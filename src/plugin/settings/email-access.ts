/** Who sends the emails, and how they look. */
import type { SettingReader } from './setting-reader.ts';

/** The application around may send them itself (`createPlugin({ email: { send } })`). */
export type EmailSettings = { readonly from: string; readonly replyTo: string | undefined } & (
  | { readonly kind: 'smtp'; readonly smtpUrl: string }
  | { readonly kind: 'host' }
);

export interface EmailLook {
  /** BCP 47 tag, for customers whose own languages have no texts. */
  readonly language: string;
  readonly logoUrl: string | undefined;
  readonly legalLine?: string | undefined;
}

export interface EmailAccess {
  readonly email: EmailSettings | undefined;
  readonly emailLook: EmailLook;
}

export function readEmailAccess(read: SettingReader, { sendsEmail }: { sendsEmail: boolean }): EmailAccess {
  return {
    email: readEmail(read, sendsEmail),
    emailLook: {
      language: read.get('EMAIL_LANGUAGE'),
      logoUrl: read.get('EMAIL_LOGO_URL'),
      legalLine: read.get('EMAIL_LEGAL_LINE'),
    },
  };
}

function readEmail(read: SettingReader, sendsEmail: boolean): EmailSettings | undefined {
  const smtpUrl = read.get('SMTP_URL') ?? '';
  const from = read.get('EMAIL_FROM') ?? '';
  const replyTo = read.get('EMAIL_REPLY_TO');
  if (!sendsEmail && read.optional('SMTP_URL') === undefined) return undefined;
  if (read.optional('LINK_SECRET') === undefined)
    read.problem(
      'LINK_SECRET',
      `is required with ${sendsEmail ? 'email.send' : 'SMTP_URL'}; \`openssl rand -base64 32\` makes one`,
    );
  if (sendsEmail) return { kind: 'host', from, replyTo };
  if (from === '')
    read.problem('EMAIL_FROM', 'is required with SMTP_URL; give the address that emails come from');
  return { kind: 'smtp', smtpUrl, from, replyTo };
}
