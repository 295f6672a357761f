/** Every state of the card-update page in every language, as a customer would see it. */
import { DateTime } from 'luxon';
import { TRANSLATIONS } from '../../src/plugin/mails/languages.ts';
import type { PageState } from '../../src/plugin/mails/page-texts.ts';
import { renderCardUpdatePage } from '../../src/plugin/retry/mail/card-update-views.tsx';

export interface PreviewPage {
  /** Without ending: `page.de.update`. */
  readonly name: string;
  readonly html: string;
}

/** What the page shows of a merchant, and of a payment. */
const LOOK = { color: '#0a7a5c', logoUrl: undefined };

const FACTS = {
  plan: 'Garden Club Gold',
  paidWith: { brand: 'visa', last4: '4242' },
  consequence: { kind: 'cancel', at: DateTime.fromISO('2026-06-15T21:59:59Z', { zone: 'utc' }) },
  look: LOOK,
  merchantName: 'Internationale Donaudampfschifffahrtsgesellschaft für Gartenbedarf mbH',
  owed: [123_456, 1_999].map((amount, index) => ({
    id: `in_${index}`,
    amount,
    currency: 'EUR',
    plan: 'Garden Club Gold',
    issuedAt: DateTime.fromISO('2026-05-01T08:00:00Z', { zone: 'utc' }).plus({ months: index }),
  })),
  end: { at: DateTime.fromISO('2026-06-01T14:00:00Z', { zone: 'utc' }), zone: 'Europe/Berlin' },
} as const;

export function previewPages(): PreviewPage[] {
  return Object.entries(TRANSLATIONS).flatMap(([locale, { pages }]) =>
    ([...Object.keys(pages), 'lost'] as PageState[]).map((state) => ({
      name: `page.${locale}.${state}`,
      html: renderCardUpdatePage(state, { ...FACTS, locale }),
    })),
  );
}
