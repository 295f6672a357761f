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

interface NaturalValue {
  readonly type: string;
  readonly toText: z.ZodType<string>;
}

export const NATURAL_VALUES = {
  list: { type: 'readonly string[]', toText: words },
  days: { type: 'readonly number[]', toText: words },
  window: {
    type: 'readonly [from: string, to: string]',
    toText: z.tuple([word, word]).transform((ends) => ends.join('-')),
  },
  switch: { type: 'boolean', toText: z.boolean().transform((isOn) => (isOn ? 'on' : 'off')) },
  total: {
    type: '{ readonly multiple: number } | Readonly<Record<string, number>>',
    toText: z.union([
      z.strictObject({ multiple: z.int() }).transform(({ multiple }) => `${multiple}x`),
      pairs,
    ]),
  },
  rates: { type: 'Readonly<Record<string, number>>', toText: pairs },
  roles: { type: "Readonly<Record<string, 'reader' | 'operator'>>", toText: pairs },
  claim: {
    type: "Readonly<Record<string, Readonly<Record<string, 'reader' | 'operator' | 'administrator'>>>>",
    toText: z.record(z.string(), pairs).transform((claims) => joinPairs(claims, ': ')),
  },
  experiment: {
    type: "{ readonly against: 'stripe' | 'schedule'; readonly percent: number }",
    toText: z
      .strictObject({ against: word, percent: z.number() })
      .transform(({ against, percent }) => `${against}:${percent}`),
  },
  scope: {
    type: '{ readonly plans?: readonly string[]; readonly countries?: readonly string[]; readonly currencies?: readonly string[]; readonly metadata?: Readonly<Record<string, string>>; readonly percent?: number; readonly signUps?: boolean }',
    toText: scope,
  },
  json: {
    type: 'Readonly<Record<string, Readonly<Record<string, string>>>>',
    toText: z
      .record(z.string(), z.record(z.string(), z.string()))
      .transform((given) => JSON.stringify(given)),
  },
} as const satisfies Readonly<Record<string, NaturalValue>>;

export type NaturalKind = keyof typeof NATURAL_VALUES;
