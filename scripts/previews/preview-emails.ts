/** Every email in every language, as a customer would get it. */
import { DateTime } from 'luxon';
import { EMAIL_TEMPLATES, type EmailTemplate, isRequest } from '../../src/plugin/actions/action-kinds.ts';
import { type CustomerEmail, renderCustomerEmail } from '../../src/plugin/mails/customer-email.ts';
import { TRANSLATIONS } from '../../src/plugin/mails/languages.ts';

export interface PreviewEmail {
  /** Without ending: `card_update.de.long-names`. */
  readonly name: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** A pixel image, so that the place of the logo shows without a network. */
const LOGO =
  'data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg" width="160" height="40"><rect width="160" height="40" rx="6" fill="%230a7a5c"/></svg>';

const USUAL: Omit<CustomerEmail, 'locale'> = {
  merchantName: 'Acme Garden',
  amount: 123_456,
  currency: 'EUR',
  customerName: 'Ada Lovelace',
  link: 'https://billing.example.com/card-update/v1.eyJhY2NvdW50Ijoib3duIiwiaW52b2ljZSI6ImluXzEyMyJ9.5fN3oYk2Qx8vQ',
  expiresAt: DateTime.fromISO('2026-06-01T14:00:00Z', { zone: 'utc' }),
  zone: 'Europe/Berlin',
  plan: 'Garden Club Gold',
  paidWith: { brand: 'visa', last4: '4242' },
  cards: { failed: '4242', charged: '4444', card: '4242' },
  consequence: { kind: 'may_stop' },
};

const DAY = DateTime.fromISO('2026-06-15T21:59:59Z', { zone: 'utc' });

/** What strains the layout. */
const VARIANTS: Readonly<Record<string, Partial<CustomerEmail>>> = {
  reminder: { look: { color: '#0a7a5c', logoUrl: LOGO }, step: 'reminder' },
  last: {
    look: { color: '#0a7a5c', logoUrl: LOGO },
    step: 'last',
    consequence: { kind: 'cancel', at: DAY },
  },
  several: {
    owed: [123_456, 1_999].map((amount, index) => ({
      id: `in_${index}`,
      amount,
      currency: 'EUR',
      plan: 'Garden Club Gold',
      issuedAt: DAY.minus({ months: index + 1 }),
    })),
    consequence: { kind: 'may_stop', areSeveral: true },
  },
  'last-pause': {
    step: 'last',
    consequence: { kind: 'pause', at: DAY },
    paidWith: { brand: undefined, last4: '6789' },
  },
  usual: { look: { color: '#0a7a5c', logoUrl: LOGO } },
  'long-names': {
    merchantName: 'Internationale Donaudampfschifffahrtsgesellschaft für Gartenbedarf und Zubehör mbH',
    customerName: 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenhaftschaferswessen',
    look: { color: '#ffe14d' },
  },
  'zero-decimal': { amount: 1_234_567, currency: 'JPY', zone: 'Asia/Tokyo', customerName: undefined },
};

const LOST: Partial<Record<EmailTemplate, Pick<CustomerEmail, 'lost' | 'consequence'>>> = {
  subscription_ended: { lost: { isOwed: true, leadsTo: 'invoice' }, consequence: undefined },
  subscription_paused: { lost: { isOwed: false, leadsTo: 'merchant' }, consequence: undefined },
};

export function previewEmails(): PreviewEmail[] {
  return EMAIL_TEMPLATES.flatMap((template) =>
    Object.keys(TRANSLATIONS).flatMap((locale) =>
      Object.entries(VARIANTS)
        // Only emails that ask for money have a second and a third step.
        .filter(([, { step, owed }]) => isRequest(template) || (step ?? owed) === undefined)
        .map(([variant, changes]) => ({
          name: `${template}.${locale}.${variant}`,
          ...renderCustomerEmail(template, { ...USUAL, ...LOST[template], ...changes, locale }),
        })),
    ),
  );
}
