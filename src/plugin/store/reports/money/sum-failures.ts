/** What failed payments are about, in money. Every sum is of one currency, in minor units. */

/** `waiting`: open without a planned payment; the customer or a person has to act first. */
export type MoneyState = 'open' | 'waiting' | 'recovered' | 'lost';
export type Cause = 'retry' | 'new_card' | 'confirmation' | 'other_card' | 'by_itself';

export const DIMENSIONS = ['reason', 'brand', 'country', 'plan'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Net of refunds and lost disputes. */
export interface NetSum {
  readonly currency: string;
  readonly invoices: number;
  readonly amount: number;
  /** Recovered invoices with an open dispute, and their amount in dispute: the sum still holds it. */
  readonly disputes: number;
  readonly disputed: number;
}

/** The sum before refunds and lost disputes. */
export interface MoneySum extends NetSum {
  readonly state: MoneyState;
  /** Refunds and lost disputes. */
  readonly returned: number;
}

/** Counts rows of failures with a `state`. */
export const DISPUTED = `count(*) filter (where disputed > 0 and state = 'recovered') as disputes,
  coalesce(sum(disputed) filter (where state = 'recovered'), 0)::bigint as disputed`;

export const SUMS = `count(*) as invoices, sum(amount)::bigint as amount, sum(returned)::bigint as returned,
  ${DISPUTED}`;
export const KEPT_SUMS = `sum(invoices)::bigint as invoices, sum(amount)::bigint as amount,
  sum(disputes)::bigint as disputes, sum(disputed)::bigint as disputed`;

/** The `MoneyState` of a row of failures. */
export const STATE = `case when state = 'open' and next_kind is distinct from 'pay' then 'waiting' else state end`;

/** The value of a currency's smallest unit in that of the report's currency, as a decimal number. */
export type Factors = Readonly<Record<string, string>>;

/** The net sums of rows of failures, each converted and rounded before it is added. `factors`: the parameter that holds them. */
export function netSums(factors: string): string {
  const factor = `coalesce((${factors}::jsonb->>currency)::numeric, 1)`;
  return `count(*) as invoices, sum(round((amount - returned) * ${factor}))::bigint as amount,
    count(*) filter (where disputed > 0 and state = 'recovered') as disputes,
    coalesce(sum(round(disputed * ${factor})) filter (where state = 'recovered'), 0)::bigint as disputed`;
}

/** Lists count no more; more are reported as at least as many. */
export const MOST_COUNTED = 5_000;
