/** Settings of what is recovered, and of how much is charged how often. */
import { MIN_GAP_HOURS, RETRIES_PER_INVOICE } from '../../../core/limits/usual-limits.ts';
import { integer, list, lower, part, splitEntries, splitPair, text, upper } from './setting-kinds.ts';

/** What new cards of one customer may pay in 24 hours, each currency by itself: nothing is converted. */
export type CardChangeTotal =
  /** So many times the largest of these invoices. */
  | { readonly kind: 'times'; readonly times: number }
  /** In the smallest unit, by currency in lower case. A currency without one asks a person for every payment. */
  | { readonly kind: 'amounts'; readonly of: Readonly<Record<string, number>> };

/** `3x`, or `EUR=50000,USD=60000`. */
const TIMES_OR_AMOUNTS = /^([1-9]\d{0,2}x|(\s*[A-Za-z]{3}\s*=\s*\d{1,12}\s*(,(?!$)|$))+)$/;
const NO_TOTAL =
  "must be a multiple such as 3x, or amounts in the currencies' smallest unit such as EUR=50000,USD=60000";

function parseTotal(text: string): CardChangeTotal {
  if (text.endsWith('x')) return { kind: 'times', times: Number.parseInt(text, 10) };
  const pairs = splitEntries(text).map(splitPair);
  return {
    kind: 'amounts',
    of: Object.fromEntries(pairs.map(([currency, amount]) => [currency.toLowerCase(), Number(amount)])),
  };
}

export const LIMIT_SETTINGS = {
  RECOVER_PLANS: part(
    'Recover only these plans: ids of prices or products, with commas. What the RECOVER_ settings leave out is only observed.',
    list(/^\S+$/, 'ids of prices (price_…) or products (prod_…)'),
    { shown: 'open' },
  ),
  RECOVER_COUNTRIES: part(
    'Recover only customers whose address is in one of these: `DE,AT`.',
    list(/^[A-Za-z]{2}$/, 'two-letter country codes such as DE,AT', upper),
    { shown: 'open' },
  ),
  RECOVER_CURRENCIES: part(
    'Recover only invoices in one of these: `EUR,USD`.',
    list(/^[A-Za-z]{3}$/, 'three-letter currency codes such as EUR', lower),
    { shown: 'open' },
  ),
  RECOVER_METADATA: part(
    'Recover only where the subscription, invoice or customer has one of these pairs: `recovery=on`.',
    list(/^[^=]+=.*$/, 'pairs such as recovery=on', (pair) => {
      const [key, value] = splitPair(pair);
      return { key, value };
    }),
    { shown: 'open' },
  ),
  RECOVER_PERCENT: part(
    'Recover only this share of the customers, always the same ones; a larger share includes them.',
    integer(0, 100).default(100),
  ),
  CARD_CHANGE_MAX_TOTAL: part(
    "How much a customer's new cards may pay within 24 hours before a person is asked: a multiple of the largest of these invoices (`3x`), or amounts in the currency's smallest unit (`EUR=50000,USD=60000`; other currencies always ask).",
    text().regex(TIMES_OR_AMOUNTS, NO_TOTAL).default('3x').transform(parseTotal),
    { shown: 'open' },
  ),
  MAX_CHARGES_PER_MINUTE: part(
    "Charges in one minute, all processes together; one more pauses everything until `resume`. The default is twice the plugin's own pace: `7200` with connected accounts, less with fewer than 20 requests a second.",
    integer(1, 100_000).optional(),
    { usual: '2400' },
  ),
  MAX_RETRIES_PER_INVOICE: part(
    'Retries of one invoice with one card after the first payment, 1 to 12; Stripe advises 8. Issuers may count refusals against the card: more retries recover more where money comes and goes, and less where refusals are counted.',
    integer(1, 12).default(RETRIES_PER_INVOICE),
  ),
  MIN_HOURS_BETWEEN_ATTEMPTS: part(
    'Hours between attempts on one invoice with one card. Unset, the embedded service plans them 24 apart, 1 to 6 after a technical fault, and a remote service chooses its times: 1 is the least.',
    integer(MIN_GAP_HOURS, 720).optional(),
    { usual: '24, or 1 for a remote service' },
  ),
} as const;
