import { DateTime } from 'luxon';
import { cleanName } from './clean-name.ts';
import { cardUpdateTexts } from './en/card-update.ts';
import { confirmPaymentTexts } from './en/confirm-payment.ts';
import { formatMoney } from './format-money.ts';
import { type MailContent, renderMailHtml, renderMailText } from './layout.ts';
import type { MailTexts } from './mail-texts.ts';

export interface CustomerEmail {
  merchantName: string;
  /** Integer in the smallest unit. */
  amount: number;
  currency: string;
  customerName?: string | undefined;
  link: string;
  expiresAt: DateTime;
  /** IANA zone in which the customer reads the time. */
  zone: string;
  /** BCP 47 tag; a language without texts here reads English. */
  locale: string;
}

export type EmailTemplate = 'card_update' | 'confirm_payment';

interface Language {
  texts: Readonly<Record<EmailTemplate, MailTexts>>;
  direction: 'ltr' | 'rtl';
}

const FALLBACK = 'en';
const ENGLISH: Language = {
  texts: { card_update: cardUpdateTexts, confirm_payment: confirmPaymentTexts },
  direction: 'ltr',
};
/** Languages with a folder of texts. */
const LANGUAGES = new Map([[FALLBACK, ENGLISH]]);

/** A mail with one thing to do. Any name is safe: it is escaped, and the subject is one line. */
export function renderCustomerEmail(
  template: EmailTemplate,
  mail: CustomerEmail,
): {
  subject: string;
  html: string;
  text: string;
} {
  const { locale, texts: templates, direction } = chooseLanguage(mail.locale);
  const texts = templates[template];
  const facts = {
    merchant: cleanName(mail.merchantName) ?? texts.unnamedMerchant(),
    amount: formatMoney(mail.amount, mail.currency, locale),
    until: formatTime(mail.expiresAt, mail.zone, locale),
  };
  const content: MailContent = {
    language: locale,
    direction,
    heading: texts.heading(),
    preview: texts.preview(facts),
    greeting: texts.greeting(cleanName(mail.customerName)),
    opening: texts.opening(facts),
    button: { label: texts.button(), link: mail.link },
    bareLink: texts.bareLink(),
    closing: texts.closing(facts),
  };
  return { subject: texts.subject(facts), html: renderMailHtml(content), text: renderMailText(content) };
}

/** Keeps the region of a known language, which decides how dates and amounts look: `en-GB` is not `en-US`. */
function chooseLanguage(wanted: string): Language & { locale: string } {
  const locale = canonicalLocale(wanted);
  const language = LANGUAGES.get(locale.split('-')[0] ?? FALLBACK);
  return language ? { ...language, locale } : { ...ENGLISH, locale: FALLBACK };
}

function canonicalLocale(wanted: string): string {
  try {
    return Intl.getCanonicalLocales(wanted)[0] ?? FALLBACK;
  } catch {
    return FALLBACK;
  }
}

function formatTime(instant: DateTime, zone: string, locale: string): string {
  const local = instant.setZone(zone);
  return (local.isValid ? local : instant.toUTC()).setLocale(locale).toLocaleString(DateTime.DATETIME_FULL);
}
