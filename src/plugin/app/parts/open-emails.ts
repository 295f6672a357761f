/** Who sends the emails, and who writes them. */

import type { Logger } from '../../../core/base/logger.ts';
import type { Mailer, SendEmail } from '../../clients/mailer.ts';
import {
  createEmailWriter,
  type EmailSource,
  type RenderEmail,
  type WriteEmail,
} from '../../mails/email-writer.ts';
import { readOwnTemplates } from '../../mails/own-templates.ts';
import type { Config } from '../../settings/config.ts';

export interface Emails {
  readonly mailer: Mailer | undefined;
  readonly writeEmail: WriteEmail;
}

/** Throws ConfigError for an address of no mail server, and for a folder of emails that cannot be used. */
export async function openEmails({
  config: { email, emailTemplates },
  logger,
  sendEmail,
  renderEmail,
}: {
  config: Pick<Config, 'email' | 'emailTemplates'>;
  logger: Logger;
  sendEmail?: SendEmail | undefined;
  renderEmail?: RenderEmail | undefined;
}): Promise<Emails> {
  const sources: EmailSource[] = [];
  if (emailTemplates !== undefined)
    sources.push({ name: 'EMAIL_TEMPLATES', render: readOwnTemplates(emailTemplates) });
  if (renderEmail) sources.push({ name: 'renderEmail', render: renderEmail });
  return { mailer: await openMailer(email, sendEmail), writeEmail: createEmailWriter(sources, logger) };
}

/** The host's, or that of the mail server; none where there is neither. */
async function openMailer(
  email: Config['email'],
  sendEmail: SendEmail | undefined,
): Promise<Mailer | undefined> {
  if (!email || !(sendEmail || email.kind === 'smtp')) return undefined;
  const { createHostMailer, createMailer } = await import('../../clients/mailer.ts');
  if (sendEmail) return createHostMailer(sendEmail, email);
  return email.kind === 'smtp' ? createMailer(email) : undefined;
}
