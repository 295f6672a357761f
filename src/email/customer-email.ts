import type { DateTime } from 'luxon';
import { brandColors } from './brand-colors.ts';
import { cleanName } from './clean-name.ts';
import { formatMoney } from './format-money.ts';
import { formatTime } from './format-time.ts';
import { FALLBACK_LANGUAGE, findLocale, translationOf } from './languages.ts';
import { type MailContent, renderMailHtml, renderMailText } from './layout.ts';
import { type EmailTemplate, fillText } from './mail-texts.ts';

export type { EmailTemplate } from './mail-texts.ts';

export interface CustomerEmail {
  merchantName: string;
  /** How the merchant looks. The logo is an https address that anybody can load. */
  look?: { color?: string | undefined; logoUrl?: string | undefined };
  /** Integer in the smallest unit. */
  amount: number;
  currency: string;
  customerName?: string | undefined;
  /** The last digits of the card that failed, and of the one that was charged, where a text names them. */
  cards?: { failed: string; charged: string } | undefined;
  link: string;
  expiresAt: DateTime;
  /** IANA zone in which the customer reads the time. */
  zone: string;
  /** BCP 47 tag, best from `chooseLocale`; a language without texts here reads English. */
  locale: string;
}

/** A mail with one thing to do. Any name is safe: it is escaped, and the subject is one line. */
export function renderCustomerEmail(
  template: EmailTemplate,
  mail: CustomerEmail,
): {
  subject: string;
  html: string;
  text: string;
} {
  const locale = findLocale(mail.locale) ?? FALLBACK_LANGUAGE;
  const { common, mails, direction } = translationOf(locale);
  const texts = mails[template];
  const merchant = cleanName(mail.merchantName) ?? common.unnamedMerchant;
  const name = cleanName(mail.customerName);
  const facts = {
    merchant,
    amount: formatMoney(mail.amount, mail.currency, locale),
    until: formatTime(mail.expiresAt, mail.zone, locale),
    ...(mail.cards ?? {}),
  };
  const fill = (text: string) => fillText(text, facts);
  const content: MailContent = {
    language: locale,
    direction,
    brand: {
      name: cleanName(mail.merchantName),
      logoUrl: mail.look?.logoUrl,
      colors: brandColors(mail.look?.color),
    },
    heading: fill(texts.heading),
    preview: fill(texts.preview),
    greeting: name === undefined ? common.greetingWithoutName : fillText(common.greeting, { name }),
    opening: texts.opening.map(fill),
    button: { label: fill(texts.button), link: mail.link },
    bareLink: common.bareLink,
    closing: texts.closing.map(fill),
  };
  return { subject: fill(texts.subject), html: renderMailHtml(content), text: renderMailText(content) };
}
