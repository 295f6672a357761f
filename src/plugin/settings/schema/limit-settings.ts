/** Settings of the recovered invoices, and of the amount and frequency of charges. */
import { MIN_GAP_HOURS, RETRIES_PER_INVOICE } from '../../../core/limits/usual-limits.ts';
import { integer, list, part, setting, splitEntries, splitPair, text } from './setting-kinds.ts';

/**
 * The invoices for which payments are made and emails sent; others are only observed. Each given list must match, by any of its
 * entries.
 */
export interface RecoveryScope {
  /** Ids of prices and of products. */
  readonly plans: readonly string[];
  /** ISO 3166-1 alpha-2, upper case. */
  readonly countries: readonly string[];
  /** Stripe's spelling, lower case. */
  readonly currencies: readonly string[];
  readonly metadata: readonly { readonly key: string; readonly value: string }[];
  /** Share of the customers. */
  readonly percent: number;
  /** First invoices of incomplete subscriptions, too. */
  readonly signUps: boolean;
}

export const EVERYTHING: RecoveryScope = {
  plans: [],
  countries: [],
  currencies: [],
  metadata: [],
  percent: 100,
  signUps: false,
};

const SCOPE_ENTRY =
  /^(plan:\S+|country:[A-Za-z]{2}|currency:[A-Za-z]{3}|metadata:[^=]+=.*|percent:(\d{1,2}|100)|sign-ups)$/;
const NO_SCOPE =
  'must be plan:price_…, country:DE, currency:EUR, metadata:KEY=VALUE, percent:0 to 100 or sign-ups, with commas';

function readScope(value: string): RecoveryScope {
  const entries = splitEntries(value);
  const of = (kind: string) =>
    entries.filter((entry) => entry.startsWith(`${kind}:`)).map((entry) => entry.slice(kind.length + 1));
  const [percent] = of('percent');
  return {
    plans: of('plan'),
    countries: of('country').map((code) => code.toUpperCase()),
    currencies: of('currency').map((code) => code.toLowerCase()),
    metadata: of('metadata').map((pair) => {
      const [key, value] = splitPair(pair);
      return { key, value };
    }),
    percent: percent === undefined ? 100 : Number(percent),
    signUps: entries.includes('sign-ups'),
  };
}

/** The most that new cards of one customer may pay in 24 hours; each currency counts separately: nothing is converted. */
export type CardChangeTotal =
  /** A multiple of the largest of these invoices. */
  | { readonly kind: 'times'; readonly times: number }
  /** Amounts in the smallest unit, by currency in lower case. A currency without one asks a person for every payment. */
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

/** Days of access after a failed renewal, and other days by price or product. */
export interface AccessGrace {
  readonly days: number | undefined;
  readonly plans: readonly (readonly [plan: string, days: number])[];
}

const GRACE = /^(\d{1,3}|[^\s=]+=\d{1,3})$/;

function readGrace(entries: readonly string[]): AccessGrace {
  const days = entries.find((entry) => !entry.includes('='));
  const plans = entries.filter((entry) => entry.includes('=')).map(splitPair);
  return {
    days: days === undefined ? undefined : Number(days),
    plans: plans.map(([plan, own]) => [plan, Number(own)]),
  };
}

export const LIMIT_SETTINGS = {
  ACCESS_GRACE: setting(
    'Days of access after a failed renewal, at most as long as the recovery runs, and other days of single prices or products, with commas: `7,price_1=14,prod_2=0` (docs/how-to/access.md).',
    list(GRACE, 'days such as 7, and a price or a product with its own such as price_1=14,').transform(
      readGrace,
    ),
    { place: 'access', natural: 'grace', usual: 'as long as the recovery runs', shown: 'open' },
  ),
  RECOVER: part(
    'Recover only what fits each of these kinds, with commas: `plan:price_1`, `country:DE`, `currency:EUR`, `metadata:recovery=on`, `percent:10` (a share of the customers, always the same ones; a larger share includes them). Several of one kind are alternatives; the rest is only observed. `sign-ups`: the first invoice of an `incomplete` subscription, too, which is otherwise left to the checkout.',
    text()
      .superRefine((value, { addIssue }) => {
        for (const entry of splitEntries(value))
          if (!SCOPE_ENTRY.test(entry)) addIssue(`${NO_SCOPE}, and has "${entry}"`);
      })
      .transform(readScope)
      .default(EVERYTHING),
    { place: 'recover', natural: 'scope', usual: 'all', shown: 'open' },
  ),
  CARD_CHANGE_MAX_TOTAL: part(
    "How much a customer's new cards may pay within 24 hours before a person is asked: a multiple of the largest of these invoices (`3x`), or amounts in the currency's smallest unit (`EUR=50000,USD=60000`; other currencies always ask).",
    text().regex(TIMES_OR_AMOUNTS, NO_TOTAL).default('3x').transform(parseTotal),
    { place: 'limits.newCardTotal', natural: 'total', shown: 'open' },
  ),
  MAX_CHARGES_PER_MINUTE: part(
    "Charges in one minute, all processes together; one more pauses everything until `resume`. The default is twice the plugin's own pace: `7200` with connected accounts, less with fewer than 20 requests a second.",
    integer(1, 100_000).optional(),
    { place: 'limits.chargesPerMinute', usual: '2400', isAdvanced: true },
  ),
  MAX_RETRIES_PER_INVOICE: part(
    'Retries of one invoice with one card after the first payment, 1 to 12; Stripe advises 8. Issuers may count refusals against the card: more retries recover more where money comes and goes, and less where refusals are counted.',
    integer(1, 12).default(RETRIES_PER_INVOICE),
    { place: 'limits.retriesPerInvoice' },
  ),
  MIN_HOURS_BETWEEN_ATTEMPTS: part(
    'Hours between attempts on one invoice with one card. Unset, the embedded service plans them 24 apart, 1 to 6 after a technical fault, and a remote service chooses its times: 1 is the least.',
    integer(MIN_GAP_HOURS, 720).optional(),
    { place: 'limits.hoursBetweenAttempts', usual: '24, or 1 for a remote service', isAdvanced: true },
  ),
} as const;
