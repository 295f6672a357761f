/** The words of one email: ours, or the merchant's own where they can be used. */

import { toIso } from '../../core/base/clock.ts';
import type { Logger } from '../../core/base/logger.ts';
import { withDeadline } from '../../core/web/bounded-answer.ts';
import type { EmailTemplate } from '../actions/action-kinds.ts';
import { type CustomerEmail, describeValues, renderCustomerEmail } from './customer-email.ts';
import type { EmailStep } from './email-texts.ts';
import { type EmailValues, escapeValue } from './email-values.ts';

/** What an email says. */
export interface EmailWords {
  readonly subject: string;
  /** A whole document. */
  readonly html: string;
  /** The same for readers without HTML. */
  readonly text: string;
}

/** Facts about an email to a customer. */
export interface MailToRender {
  readonly template: EmailTemplate;
  /** Which of the emails of this template about one payment it is. */
  readonly step: EmailStep;
  readonly account: string;
  /** The invoice, or the subscription whose card expires. */
  readonly about: string;
  readonly customer: string;
  /** BCP 47 tags as Stripe stores them, the most preferred first. */
  readonly preferredLocales: readonly string[];
  /** BCP 47 tag in which the values are written. */
  readonly locale: string;
  /** Plain words for a text; each must be escaped in HTML. Undefined where unknown. */
  readonly values: EmailValues;
  /** Integer in the smallest unit, in `currency`: of all that is open in it. */
  readonly amount: number;
  readonly currency: string;
  /** The open invoices that it asks for, the one that it is about first; none where it asks for nothing. */
  readonly invoices: readonly { readonly id: string; readonly amount: number; readonly currency: string }[];
  /** When the link ends, ISO 8601 in UTC. */
  readonly expiresAt: string;
}

/**
 * Returns replacements for our text; absent fields keep ours. `html` and `text` must both contain `email.values.link`. When it
 * throws, or takes longer than ten seconds, our email is sent.
 */
export type RenderEmail = (
  email: MailToRender,
  ours: EmailWords,
) => Partial<EmailWords> | undefined | Promise<Partial<EmailWords> | undefined>;

export type EmailRequest = Pick<MailToRender, 'template' | 'account' | 'about' | 'customer'> & {
  readonly preferredLocales: readonly string[] | null | undefined;
  readonly email: CustomerEmail;
};

export type WriteEmail = (request: EmailRequest) => Promise<EmailWords>;

export interface EmailSource {
  /** The source's name for its owner. */
  readonly name: 'EMAIL_TEMPLATES' | 'renderEmail';
  readonly render: RenderEmail;
}

const RENDER_MS = 10_000;

/** Each source may change the result of the one before it. The email is sent even if one fails. */
export function createEmailWriter(
  sources: readonly EmailSource[],
  logger: Logger,
  withinMs = RENDER_MS,
): WriteEmail {
  const failing = new Set<string>();
  return async (request) => {
    const email = toEmail(request);
    let words: EmailWords = renderCustomerEmail(request.template, request.email);
    for (const { name, render } of sources) {
      const key = `${name} ${email.template} ${email.locale}`;
      try {
        const own = await withDeadline(withinMs, async () => render(email, words));
        // A property that is undefined is left out.
        const { subject = words.subject, html = words.html, text = words.text } = own ?? {};
        words = checkWords({ subject, html, text }, email.values.link);
        failing.delete(key);
      } catch (error) {
        if (!failing.has(key)) {
          const { template, locale, account } = email;
          logger.error(
            { source: name, template, locale, account, err: error },
            'custom template failed; sending the built-in email (logged once until it works)',
          );
        }
        failing.add(key);
      }
    }
    return words;
  };
}

function toEmail({
  email,
  template,
  account,
  about,
  customer,
  preferredLocales,
}: EmailRequest): MailToRender {
  const { locale, values } = describeValues(template, email);
  return {
    template,
    account,
    about,
    customer,
    locale,
    values,
    step: email.step ?? 'first',
    preferredLocales: preferredLocales ?? [],
    amount: sumIn(email),
    currency: email.currency,
    invoices: (email.owed ?? []).map(({ id, amount, currency }) => ({ id, amount, currency })),
    expiresAt: toIso(email.expiresAt),
  };
}

function sumIn({ amount, currency, owed = [] }: CustomerEmail): number {
  if (owed.length === 0) return amount;
  return owed.filter((one) => one.currency === currency).reduce((sum, one) => sum + one.amount, 0);
}

/** Comes from code that no compiler need have seen. */
function checkWords(words: EmailWords, link: string): EmailWords {
  const { html, text } = words;
  for (const [part, content] of Object.entries(words))
    if (typeof content !== 'string' || content.trim() === '') throw new TypeError(`Its ${part} is no text.`);
  for (const [part, content] of Object.entries({ html, text }))
    if (
      !content.includes(link) &&
      !content.includes(escapeValue(link)) &&
      !content.includes(ampersands(link))
    )
      throw new Error(`Its ${part} is without the link.`);
  return { ...words, subject: words.subject.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim() };
}

/** Escapes an address as most libraries do. */
function ampersands(link: string): string {
  return link.replaceAll('&', '&amp;');
}
