import type { DateTime } from 'luxon';
import { EMAILS, type EmailTemplate, isRequest } from '../actions/action-kinds.ts';
import { brandColors } from './brand-colors.ts';
import { cleanName, greetedName } from './clean-name.ts';
import { type EmailContent, renderEmailHtml, renderEmailText } from './email-layout.tsx';
import {
  type CommonTexts,
  type ConsequenceKind,
  type EmailFacts,
  type EmailStep,
  type EmailTexts,
  fillText,
} from './email-texts.ts';
import type { EmailValues } from './email-values.ts';
import { formatCard, type PaidWith } from './format-card.ts';
import { formatMoney } from './format-money.ts';
import { formatDay, formatTime } from './format-time.ts';
import { FALLBACK_LANGUAGE, findLocale, translationOf } from './languages.ts';

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

interface Lost {
  readonly isOwed: boolean;
  readonly leadsTo: 'merchant' | 'invoice';
  /** The payment starts the subscription again. */
  readonly resumes?: boolean;
}

export interface CustomerEmail {
  /** The first, unless it says otherwise. */
  step?: EmailStep | undefined;
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
  cards?: Partial<Pick<EmailFacts, 'failed' | 'charged' | 'card'>> | undefined;
  /** A lost subscription: whether its invoice is still owed, and the button's target. */
  lost?: Lost | undefined;
  link: string;
  expiresAt: DateTime;
  /** IANA zone in which the customer reads the time. */
  zone: string;
  /** BCP 47 tag, best from `chooseLocale`; a language without texts here reads English. */
  locale: string;
}

/** An email with one thing to do. Any name is safe: it is escaped, and the subject is one line. */
export function renderCustomerEmail(template: EmailTemplate, email: CustomerEmail) {
  const { locale, values } = describeValues(template, email);
  const { common, direction } = translationOf(locale);
  const texts = chooseTexts(template, email, locale);
  const { name } = values;
  const fill = (text: string) => fillText(text, values);
  const { subject, preview, lead } = stepTexts(texts, common, email.step ?? 'first');
  const [opening = '', ...ask] = texts.opening.map(fill);
  const content: EmailContent = {
    language: locale,
    direction,
    brand: {
      name: cleanName(email.merchantName),
      logoUrl: email.look?.logoUrl,
      colors: brandColors(email.look?.color),
    },
    heading: fill(texts.heading),
    preview: fill(preview),
    greeting: name === undefined ? common.greetingWithoutName : common.greeting,
    name,
    opening: [...lead.map(fill), opening],
    details: describeDetails(email, locale),
    ask: [...ask, ...describeConsequence(email, locale)],
    button: { label: fill(texts.button), link: email.link },
    bareLink: common.bareLink,
    closing: [
      ...listClosing(template, email).map((line) => fill(common.closing[line])),
      ...(email.legalLine === undefined ? [] : [email.legalLine]),
    ],
  };
  return { subject: fill(subject), html: renderEmailHtml(content), text: renderEmailText(content) };
}

/** Picks the texts: several invoices, or a payment by another method than a card, have their own. */
function chooseTexts(template: EmailTemplate, email: CustomerEmail, locale: string): EmailTexts {
  const { common, emails } = translationOf(locale);
  const { several, otherMethod } = common;
  const usual = emails[template];
  if (email.lost) return describeLoss(usual, common, email.lost);
  const [opening = '', ...ask] = usual.opening;
  const { subject, heading, button } = otherMethod;
  const isOther = isOtherMethod(template, email);
  const texts = isOther ? { ...usual, subject, heading, button, opening: [opening, otherMethod.ask] } : usual;
  if ((email.owed ?? []).length < 2) return texts;
  const asked = isOther ? [otherMethod.ask] : ask;
  return {
    ...texts,
    preview: several.opening,
    opening: [several.opening, ...asked, ...(isRequest(template) ? [paysAll(email.paidWith, locale)] : [])],
  };
}

function describeLoss(
  texts: EmailTexts,
  { lost }: CommonTexts,
  { isOwed, leadsTo, resumes = false }: Lost,
): EmailTexts {
  const toInvoice = isOwed ? lost.pay : lost.view;
  return {
    ...texts,
    opening: [...texts.opening, isOwed ? lost.owed : lost.waived, ...(resumes ? [lost.resumes] : [])],
    button: leadsTo === 'merchant' ? texts.button : toInvoice,
  };
}

function listClosing(template: EmailTemplate, email: CustomerEmail) {
  const lines = EMAILS[template].closing;
  return isOtherMethod(template, email) ? lines.map((line) => (line === 'card' ? 'method' : line)) : lines;
}

function isOtherMethod(template: EmailTemplate, { paidWith }: CustomerEmail): boolean {
  return template === 'card_update' && paidWith?.isCard === false;
}

/** One new method is enough. */
export function paysAll(paidWith: PaidWith | undefined, locale: string): string {
  const { several, otherMethod } = translationOf(locale).common;
  return paidWith?.isCard === false ? otherMethod.pays : several.pays;
}

function stepTexts({ subject, preview }: EmailTexts, { steps }: CommonTexts, step: EmailStep) {
  if (step === 'first') return { subject, preview, lead: [] };
  const { subject: frame, lead } = steps[step];
  const continued = subject.charAt(0).toLowerCase() + subject.slice(1);
  return { subject: fillText(frame, { subject: continued }), preview: lead, lead: [lead] };
}

/** What a text may name, as its reader writes it. */
export function describeValues(
  template: EmailTemplate,
  email: CustomerEmail,
): { locale: string; values: EmailValues } {
  const locale = findLocale(email.locale) ?? FALLBACK_LANGUAGE;
  const { failed, charged, card } = email.cards ?? {};
  const [consequence] = describeConsequence(email, locale);
  const values = {
    link: email.link,
    until: formatTime(email.expiresAt, email.zone, locale),
    merchant: cleanName(email.merchantName) ?? translationOf(locale).common.unnamedMerchant,
    name: greetedName(email.customerName),
    amount:
      EMAILS[template].about === 'renewal'
        ? undefined
        : (formatSums(email.owed ?? [], locale) ?? formatMoney(email.amount, email.currency, locale)),
    plan: cleanName(email.plan),
    invoice: email.owed?.map((one) => nameInvoice(one, email.zone, locale)).join('; ') || undefined,
    card: card ?? ((email.paidWith && formatCard(email.paidWith)) || undefined),
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
