/** The retry service and the mail server. */
import { resolveTxt } from 'node:dns/promises';
import { codeOf, messageWithCause } from '../../../core/base/errors.ts';
import { createServiceClients } from '../../clients/service-client.ts';
import { readOwnTemplates } from '../../mails/own-templates.ts';
import type { Config } from '../../settings/config.ts';
import type { EmailSettings } from '../../settings/email-access.ts';
import { type Finding, finding } from './finding.ts';

/** The embedded one is part of the plugin: its queues show its state. */
export async function checkService({ service }: Config): Promise<Finding> {
  if (service.kind === 'embedded') return finding('retry_service', 'ok', 'embedded');
  const client = createServiceClients(() => service)('own');
  const { baseUrl } = service;
  const answer = await client?.listRecoveryActions({ orderBy: 'created_at', orderDirection: 'desc' });
  if (answer?.kind === 'page') return finding('retry_service', 'ok', baseUrl.href);
  const why = answer && ('reason' in answer ? answer.reason : answer.answer);
  return finding('retry_service', 'problem', `${baseUrl.href}: ${why}`);
}

export type ResolveTxt = (name: string) => Promise<string[][]>;

export async function checkEmail(config: Config, resolve: ResolveTxt = resolveTxt): Promise<Finding[]> {
  return [...(await checkSender(config, resolve)), ...checkOwnEmails(config)];
}

function checkOwnEmails({ emailTemplates: folder }: Config): Finding[] {
  if (folder === undefined) return [];
  try {
    readOwnTemplates(folder);
    return [finding('own_emails', 'ok', folder)];
  } catch (error) {
    return [finding('own_emails', 'problem', messageWithCause(error))];
  }
}

async function checkSender({ email }: Config, resolve: ResolveTxt): Promise<Finding[]> {
  if (!email) return [finding('mail_server', 'warning', 'none')];
  if (email.kind === 'host') return [finding('mail_server', 'ok', 'email.send'), ...checkReplies(email)];
  // Loaded here alone, so that a process without a mail server never loads its client.
  const { checkMailServer } = await import('../../clients/mailer.ts');
  const trouble = await checkMailServer(email.smtpUrl);
  const server =
    trouble === undefined ? finding('mail_server', 'ok') : finding('mail_server', 'problem', trouble);
  return [server, await checkDomain(email.from, resolve), ...checkReplies(email)];
}

const NO_REPLY = /\b(?:no|do-?not)[-_.]?reply\b[^@]*@/i;

/** An answer goes to the sender where no other address is set. */
function checkReplies({ from, replyTo = from }: EmailSettings): Finding[] {
  if (replyTo === '') return [];
  return [finding('email_replies', NO_REPLY.test(replyTo) ? 'warning' : 'ok', replyTo)];
}

/** DKIM cannot be looked up without its selector, which only the mail server knows. */
async function checkDomain(from: string, resolve: ResolveTxt): Promise<Finding> {
  const domain = /@([^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? '';
  try {
    const lacking = [];
    if (!(await hasRecord(resolve, domain, 'v=spf1'))) lacking.push(`SPF (${domain})`);
    if (!(await hasRecord(resolve, `_dmarc.${domain}`, 'v=DMARC1'))) lacking.push(`DMARC (_dmarc.${domain})`);
    return lacking.length === 0
      ? finding('email_domain', 'ok', domain)
      : finding('email_domain', 'warning', lacking.join(', '));
  } catch (error) {
    return finding('email_domain', 'unknown', messageWithCause(error));
  }
}

async function hasRecord(resolve: ResolveTxt, name: string, start: string): Promise<boolean> {
  try {
    return (await resolve(name)).some((parts) => parts.join('').startsWith(start));
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOTFOUND' || code === 'ENODATA') return false;
    throw error;
  }
}
