import type { MailCopy } from '../../store/tables/retry/emails.ts';

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
