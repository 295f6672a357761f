/** Who sends the emails, and who writes them. */

import type { Logger } from '../../../core/base/logger.ts';
import type { Mailer, SendMail } from '../../clients/mailer.ts';
import {
  createMailWriter,
  type MailSource,
  type RenderMail,
  type WriteMail,
} from '../../mails/mail-writer.ts';
import { readOwnTemplates } from '../../mails/own-templates.ts';
import type { Config } from '../../settings/config.ts';

export interface Mails {
  readonly mailer: Mailer | undefined;
  readonly writeMail: WriteMail;
}

/** Throws ConfigError for an address of no mail server, and for a folder of emails that cannot be used. */
export async function openMails({
  config: { mail, emailTemplates },
  logger,
  sendMail,
  renderMail,
}: {
  config: Pick<Config, 'mail' | 'emailTemplates'>;
  logger: Logger;
  sendMail?: SendMail | undefined;
  renderMail?: RenderMail | undefined;
}): Promise<Mails> {
  const sources: MailSource[] = [];
  if (emailTemplates !== undefined)
    sources.push({ name: 'EMAIL_TEMPLATES', render: readOwnTemplates(emailTemplates) });
  if (renderMail) sources.push({ name: 'renderMail', render: renderMail });
  return { mailer: await openMailer(mail, sendMail), writeMail: createMailWriter(sources, logger) };
}

/** The host's, or that of the mail server; none where there is neither. */
async function openMailer(mail: Config['mail'], sendMail: SendMail | undefined): Promise<Mailer | undefined> {
  if (!mail || !(sendMail || mail.kind === 'smtp')) return undefined;
  const { createHostMailer, createMailer } = await import('../../clients/mailer.ts');
  if (sendMail) return createHostMailer(sendMail, mail);
  return mail.kind === 'smtp' ? createMailer(mail) : undefined;
}
