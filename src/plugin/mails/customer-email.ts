import type { DateTime } from 'luxon';
import { type EmailTemplate, isRequest, MAILS } from '../actions/action-kinds.ts';
import { brandColors } from './brand-colors.ts';
import { cleanName, greetedName } from './clean-name.ts';
import { formatCard, type PaidWith } from './format-card.ts';
import { formatMoney } from './format-money.ts';
import { formatDay, formatTime } from './format-time.ts';
import { FALLBACK_LANGUAGE, findLocale, translationOf } from './languages.ts';
import { type MailContent, renderMailHtml, renderMailText } from './mail-layout.tsx';
import {
  type CommonTexts,
  type ConsequenceKind,
  fillText,
  type MailFacts,
  type MailStep,
  type MailTexts,
} from './mail-texts.ts';
import type { MailValues } from './mail-values.ts';

export interface Consequence {
  readonly kind: ConsequenceKind;
  /** More than one subscription is affected. */
  readonly areSeveral?: boolean | undefined;
  /** The end of the day until which it does not happen. */
  readonly at?: DateTime | undefined;
}

/** One open invoice. */
export interface OwedAmount {
  readonly id: string;
  /** The invoice's number at Stripe. */
  readonly number?: string | undefined;
  /** Integer in the smallest unit. */
  readonly amount: number;
  readonly currency: string;
  /** The plan's name as customers know it. */
  readonly plan: string | undefined;
  readonly issuedAt: DateTime;
}

export interface CustomerEmail {
  /** The first, unless it says otherwise. */
  step?: MailStep | undefined;
  /** The plan's name as customers know it. */
  plan?: string | undefined;
  /** The method of the failed payment. */
  paidWith?: PaidWith | undefined;
  consequence?: Consequence | undefined;
  merchantName: string;
  /** Who the merchant is by law, such as its register and address: below everything. */
  legalLine?: string | undefined;
  /** How the merchant looks. The logo is an https address that anybody can load. */
  look?: { color?: string | undefined; logoUrl?: string | undefined };
  /** Integer in the smallest unit. */
  amount: number;
  currency: string;
  /** Outstanding amounts, where the email is about invoices. */
  owed?: readonly OwedAmount[] | undefined;
  customerName?: string | undefined;
  /** The last digits of the cards that a text names. */
  cards?: Partial<Pick<MailFacts, 'failed' | 'charged' | 'card'>> | undefined;
  /** A lost subscription: whether its invoice is still owed, and the button's target. */
  lost?: { readonly isOwed: boolean; readonly leadsTo: 'merchant' | 'invoice' } | undefined;
  link: string;
  expiresAt: DateTime;
  /** IANA zone in which the customer reads the time. */
  zone: string;
  /** BCP 47 tag, best from `chooseLocale`; a language without texts here reads English. */
  locale: string;
}

/** An email with one thing to do. Any name is safe: it is escaped, and the subject is one line. */
export function renderCustomerEmail(
  template: EmailTemplate,
  mail: CustomerEmail,
): {
  subject: string;
  html: string;
  text: string;
} {
  const { locale, values } = describeValues(template, mail);
  const { common, direction } = translationOf(locale);
  const texts = chooseTexts(template, mail, locale);
  const { name } = values;
  const fill = (text: string) => fillText(text, values);
  const { subject, preview, lead } = stepTexts(texts, common, mail.step ?? 'first');
  const [opening = '', ...ask] = texts.opening.map(fill);
  const content: MailContent = {
    language: locale,
    direction,
    brand: {
      name: cleanName(mail.merchantName),
      logoUrl: mail.look?.logoUrl,
      colors: brandColors(mail.look?.color),
    },
    heading: fill(texts.heading),
    preview: fill(preview),
    greeting: name === undefined ? common.greetingWithoutName : common.greeting,
    name,
    opening: [...lead.map(fill), opening],
    details: describeDetails(mail, locale),
    ask: [...ask, ...describeConsequence(mail, locale)],
    button: { label: fill(texts.button), link: mail.link },
    bareLink: common.bareLink,
    closing: [
      ...listClosing(template, mail).map((line) => fill(common.closing[line])),
      ...(mail.legalLine === undefined ? [] : [mail.legalLine]),
    ],
  };
  return { subject: fill(subject), html: renderMailHtml(content), text: renderMailText(content) };
}

/** Picks the texts: several invoices, or a payment by another method than a card, have their own. */
function chooseTexts(template: EmailTemplate, mail: CustomerEmail, locale: string): MailTexts {
  const { common, mails } = translationOf(locale);
  const { several, otherMethod } = common;
  const usual = mails[template];
  if (mail.lost) return describeLoss(usual, common, mail.lost);
  const [opening = '', ...ask] = usual.opening;
  const { subject, heading, button } = otherMethod;
  const isOther = isOtherMethod(template, mail);
  const texts = isOther ? { ...usual, subject, heading, button, opening: [opening, otherMethod.ask] } : usual;
  if ((mail.owed ?? []).length < 2) return texts;
  const asked = isOther ? [otherMethod.ask] : ask;
  return {
    ...texts,
    preview: several.opening,
    opening: [several.opening, ...asked, ...(isRequest(template) ? [paysAll(mail.paidWith, locale)] : [])],
  };
}

function describeLoss(
  texts: MailTexts,
  { lost }: CommonTexts,
  { isOwed, leadsTo }: NonNullable<CustomerEmail['lost']>,
): MailTexts {
  const toInvoice = isOwed ? lost.pay : lost.view;
  return {
    ...texts,
    opening: [...texts.opening, isOwed ? lost.owed : lost.waived],
    button: leadsTo === 'merchant' ? texts.button : toInvoice,
  };
}

function listClosing(template: EmailTemplate, mail: CustomerEmail) {
  const lines = MAILS[template].closing;
  return isOtherMethod(template, mail) ? lines.map((line) => (line === 'card' ? 'method' : line)) : lines;
}

function isOtherMethod(template: EmailTemplate, { paidWith }: CustomerEmail): boolean {
  return template === 'card_update' && paidWith?.isCard === false;
}

/** One new method is enough. */
export function paysAll(paidWith: PaidWith | undefined, locale: string): string {
  const { several, otherMethod } = translationOf(locale).common;
  return paidWith?.isCard === false ? otherMethod.pays : several.pays;
}

function stepTexts({ subject, preview }: MailTexts, { steps }: CommonTexts, step: MailStep) {
  if (step === 'first') return { subject, preview, lead: [] };
  const { subject: frame, lead } = steps[step];
  const continued = subject.charAt(0).toLowerCase() + subject.slice(1);
  return { subject: fillText(frame, { subject: continued }), preview: lead, lead: [lead] };
}

/** What a text may name, as its reader writes it. */
export function describeValues(
  template: EmailTemplate,
  mail: CustomerEmail,
): { locale: string; values: MailValues } {
  const locale = findLocale(mail.locale) ?? FALLBACK_LANGUAGE;
  const { failed, charged, card } = mail.cards ?? {};
  const [consequence] = describeConsequence(mail, locale);
  const values = {
    link: mail.link,
    until: formatTime(mail.expiresAt, mail.zone, locale),
    merchant: cleanName(mail.merchantName) ?? translationOf(locale).common.unnamedMerchant,
    name: greetedName(mail.customerName),
    amount:
      MAILS[template].about === 'renewal'
        ? undefined
        : (formatSums(mail.owed ?? [], locale) ?? formatMoney(mail.amount, mail.currency, locale)),
    plan: cleanName(mail.plan),
    invoice: mail.owed?.map((one) => nameInvoice(one, mail.zone, locale)).join('; ') || undefined,
    card: card ?? ((mail.paidWith && formatCard(mail.paidWith)) || undefined),
    failed,
    charged,
    consequence,
  };
  return { locale, values };
}

/** Sums by currency; undefined where no outstanding amount is known. */
export function formatSums(
  owed: readonly Pick<OwedAmount, 'amount' | 'currency'>[],
  locale: string,
): string | undefined {
  if (owed.length === 0) return undefined;
  const sums = new Map<string, number>();
  for (const { currency, amount } of owed) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  const texts = [...sums].map(([currency, amount]) => formatMoney(amount, currency, locale));
  return new Intl.ListFormat(locale, { type: 'conjunction' }).format(texts);
}

/** Known facts about subscription and card, a line each, for emails and the page. */
export function describeDetails(
  { plan, paidWith, owed = [], zone }: Pick<CustomerEmail, 'plan' | 'paidWith' | 'owed' | 'zone'>,
  locale: string,
): string[] {
  if (owed.length > 1)
    return [
      ...owed.map((one) => describeOwed(one, zone, locale)),
      ...describeDetails({ plan: undefined, paidWith, zone }, locale),
    ];
  const [one] = owed;
  const known: Readonly<Record<string, string | undefined>> = {
    plan: cleanName(plan),
    invoice: one && nameInvoice(one, zone, locale),
    card: (paidWith && formatCard(paidWith)) || undefined,
  };
  return translationOf(locale).common.details.flatMap((line) => {
    const value = Object.entries(known).find(([name]) => line.includes(`{${name}}`))?.[1];
    return value === undefined ? [] : [line.replace(/\{\w+\}/, () => value)];
  });
}

/** `Pro, A-0042, March 2, 2026: $20.00` */
function describeOwed(owed: OwedAmount, zone: string, locale: string): string {
  const plan = cleanName(owed.plan);
  const what = [...(plan === undefined ? [] : [plan]), nameInvoice(owed, zone, locale)].join(', ');
  return `${what}: ${formatMoney(owed.amount, owed.currency, locale)}`;
}

function nameInvoice({ number, issuedAt }: OwedAmount, zone: string, locale: string): string {
  const day = formatDay(issuedAt, zone, locale);
  return number === undefined ? day : `${number}, ${day}`;
}

/** No line where nothing is said of it. */
export function describeConsequence(
  { consequence, zone }: Pick<CustomerEmail, 'consequence' | 'zone'>,
  locale: string,
): string[] {
  if (!consequence) return [];
  const { kind, at, areSeveral = false } = consequence;
  const { common } = translationOf(locale);
  const { consequences } = areSeveral ? common.several : common;
  if (at === undefined) return [consequences.may_stop];
  return [fillText(consequences[kind], { day: formatDay(at, zone, locale) })];
}
