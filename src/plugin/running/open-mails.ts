/** Who sends the mails, and who writes them. */
import { createHostMailer, createMailer, type Mailer, type SendMail } from '../../clients/mailer.ts';
import type { Config } from '../../config/config.ts';
import {
  createMailWriter,
  type MailSource,
  type RenderMail,
  type WriteMail,
} from '../../email/mail-writer.ts';
import { readOwnTemplates } from '../../email/own-templates.ts';
import type { Logger } from '../../kit/logger.ts';

export interface Mails {
  readonly mailer: Mailer | undefined;
  readonly writeMail: WriteMail;
}

/** Throws ConfigError for an address of no mail server, and for a folder of mails that cannot be used. */
export function openMails({
  config: { mail, emailTemplates },
  logger,
  sendMail,
  renderMail,
}: {
  config: Pick<Config, 'mail' | 'emailTemplates'>;
  logger: Logger;
  sendMail?: SendMail | undefined;
  renderMail?: RenderMail | undefined;
}): Mails {
  const sources: MailSource[] = [];
  if (emailTemplates !== undefined)
    sources.push({ name: 'EMAIL_TEMPLATES', render: readOwnTemplates(emailTemplates) });
  if (renderMail) sources.push({ name: 'renderMail', render: renderMail });
  const mailer = mail && sendMail ? createHostMailer(sendMail, mail) : undefined;
  return {
    mailer: mailer ?? (mail?.kind === 'smtp' ? createMailer(mail) : undefined),
    writeMail: createMailWriter(sources, logger),
  };
}
