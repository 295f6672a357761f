/** Options in values natural for JavaScript, and the small text of the environment that says the same: both are read by one schema. */
import { z } from 'zod';

/** A text takes entries with commas, so that none can be in an entry. */
const word = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(z.string().regex(/^[^,]*$/));
const words = z.array(word).transform((entries) => entries.join(','));
const pairs = z.record(word, word).transform((record) => joinPairs(record));

function joinPairs(record: Readonly<Record<string, string>>, sign = '='): string {
  return Object.entries(record)
    .map(([key, value]) => `${key}${sign}${value}`)
    .join(',');
}

const scope = z
  .strictObject({
    plans: z.array(word).default([]),
    countries: z.array(word).default([]),
    currencies: z.array(word).default([]),
    metadata: z.record(word, word).default({}),
    percent: z.number().optional(),
    signUps: z.boolean().default(false),
  })
  .transform(({ plans, countries, currencies, metadata, percent, signUps }) =>
    [
      ...plans.map((plan) => `plan:${plan}`),
      ...countries.map((country) => `country:${country}`),
      ...currencies.map((currency) => `currency:${currency}`),
      ...Object.entries(metadata).map(([key, value]) => `metadata:${key}=${value}`),
      ...(percent === undefined ? [] : [`percent:${percent}`]),
      ...(signUps ? ['sign-ups'] : []),
    ].join(','),
  );

/** Which invoices are recovered; several of one kind are alternatives. */
export interface RecoverFilter {
  /** Ids of prices or products. */
  readonly plans?: readonly string[];
  readonly countries?: readonly string[];
  readonly currencies?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  /** Share of the customers. */
  readonly percent?: number;
  /** First invoices of `incomplete` subscriptions, too. */
  readonly signUps?: boolean;
}

/** Days of access after a failed renewal. */
export interface GraceDays {
  readonly graceDays?: number;
  /** Other days by the id of a price or a product. */
  readonly plans?: Readonly<Record<string, number>>;
}

/** A claim of the identity token, and the role for each of its values. */
export type ClaimRoles = Readonly<
  Record<string, Readonly<Record<string, 'reader' | 'operator' | 'administrator'>>>
>;

/** A multiple of the largest invoice, or amounts by currency in its smallest unit. */
export type NewCardTotal = { readonly multiple: number } | Readonly<Record<string, number>>;

/** The alternative to the retries, and the share of the customers that gets it. */
export interface ControlGroup {
  readonly against: 'stripe' | 'schedule';
  readonly percent: number;
}

interface NaturalValue {
  readonly type: string;
  /** Continues "must be". */
  readonly help: string;
  readonly toText: z.ZodType<string>;
}

export const NATURAL_VALUES = {
  list: { type: 'readonly string[]', help: 'a list of texts without commas', toText: words },
  days: { type: 'readonly number[]', help: 'a list of numbers such as [0, 3, 7]', toText: words },
  window: {
    type: 'readonly [from: string, to: string]',
    help: "two times such as ['08:00', '20:00']",
    toText: z.tuple([word, word]).transform((ends) => ends.join('-')),
  },
  switch: {
    type: 'boolean',
    help: 'true or false',
    toText: z.boolean().transform((isOn) => (isOn ? 'on' : 'off')),
  },
  total: {
    type: 'NewCardTotal',
    help: '{ multiple: 3 }, or amounts such as { EUR: 50000 }',
    toText: z.union([
      z.strictObject({ multiple: z.int() }).transform(({ multiple }) => `${multiple}x`),
      pairs,
    ]),
  },
  rates: { type: 'Readonly<Record<string, number>>', help: 'rates such as { EUR: 1 }', toText: pairs },
  grace: {
    type: 'GraceDays',
    help: 'such as { graceDays: 7, plans: { price_1: 14 } }',
    toText: z
      .strictObject({ graceDays: z.number().optional(), plans: z.record(word, word).default({}) })
      .transform(({ graceDays = '', plans }) => `${graceDays},${joinPairs(plans)}`),
  },
  roles: {
    type: "Readonly<Record<string, 'reader' | 'operator'>>",
    help: "roles such as { analyst: 'operator' }",
    toText: pairs,
  },
  claim: {
    type: 'ClaimRoles',
    help: "a claim with roles, such as { groups: { finance: 'operator' } }",
    toText: z.record(z.string(), pairs).transform((claims) => joinPairs(claims, ': ')),
  },
  experiment: {
    type: 'ControlGroup',
    help: "such as { against: 'stripe', percent: 10 }",
    toText: z
      .strictObject({ against: word, percent: z.number() })
      .transform(({ against, percent }) => `${against}:${percent}`),
  },
  scope: {
    type: 'RecoverFilter',
    help: "filters such as { plans: ['price_1'], countries: ['DE'], percent: 10 }, without commas",
    toText: scope,
  },
  json: {
    type: 'Readonly<Record<string, Readonly<Record<string, string>>>>',
    help: 'an object for each account',
    toText: z
      .record(z.string(), z.record(z.string(), z.string()))
      .transform((given) => JSON.stringify(given)),
  },
} as const satisfies Readonly<Record<string, NaturalValue>>;

export type NaturalKind = keyof typeof NATURAL_VALUES;
