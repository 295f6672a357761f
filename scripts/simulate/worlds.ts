import type { Random } from '../../src/workbench/sandbox/random.ts';
import { simulateHousehold } from './household-balances.ts';
import { ISSUER_RULES, type IssuerRule } from './issuer-rules.ts';

/** The assumptions of the simulation: stripe-facts 13.6. None of these figures is known to the policy. */

export const CYCLES = ['weekly', 'biweekly', 'semimonthly', 'monthly'] as const;
export type Cycle = (typeof CYCLES)[number];
export const KINDS = ['regular', 'irregular', 'dry'] as const;
export type AccountKind = (typeof KINDS)[number];

export interface World {
  readonly name: string;
  readonly subscribers: number;
  /** Subscribers whose money can be too little on the day of a charge. */
  readonly strained: number;
  /** Of the strained ones. */
  readonly kinds: Readonly<Record<AccountKind, number>>;
  readonly cycles: Readonly<Record<Cycle, number>>;
  /** Free money after a payday, as a multiple of the invoice: the median. */
  readonly cash: number;
  /** Paydays whose money is gone at once. */
  readonly swallowed: number;
  /** Time constant of spending, as a share of the pay cycle. */
  readonly drain: readonly [low: number, high: number];
  /** Nearly dry accounts: days between inflows, their size as a multiple of the invoice, time constant in days. */
  readonly flash: { readonly everyDays: number; readonly cash: number; readonly drainDays: number };
  /** Multiplier per try in the last 72 hours. */
  readonly fatigue: { readonly falseDecline: number; readonly noMoney: number };
  /** Approval multiplier from 01:00 to 04:59. */
  readonly night: number;
  /** Lack of funds that the issuer calls `do_not_honor`. */
  readonly hidden: number;
  /** False declines that heal. */
  readonly heals: number;
  /** Multiplier of the emails' conversion. */
  readonly email: number;
  /** Cancellations a day while unpaid. */
  readonly cancelPerDay: number;
  /** In place of the accounts above: everybody's, for an invoice of this amount. */
  readonly balanceOf?: (amount: number, random: Random) => Uint8Array;
  /** In place of false declines, limits and technical faults. */
  readonly issuerRules?: readonly IssuerRule[];
}

const D: World = {
  name: 'D',
  subscribers: 4000,
  strained: 0.107,
  kinds: { regular: 0.42, irregular: 0.15, dry: 0.43 },
  cycles: { weekly: 0.27, biweekly: 0.43, semimonthly: 0.2, monthly: 0.1 },
  cash: 6,
  swallowed: 0.4,
  drain: [0.12, 0.35],
  flash: { everyDays: 9, cash: 1.8, drainDays: 2 },
  fatigue: { falseDecline: 0.85, noMoney: 0.97 },
  night: 0.9,
  hidden: 0.26,
  heals: 0.3,
  email: 1,
  cancelPerDay: 0.004,
};

const R: World = {
  ...D,
  name: 'R',
  kinds: { regular: 0.7, irregular: 0.1, dry: 0.2 },
  cycles: { weekly: 0.1, biweekly: 0.3, semimonthly: 0.25, monthly: 0.35 },
  swallowed: 0.3,
};

const only = (cycle: Cycle): World['cycles'] => ({
  weekly: 0,
  biweekly: 0,
  semimonthly: 0,
  monthly: 0,
  [cycle]: 1,
});

/** The worlds in which the goals are set; the others ask how much hangs on a guess. */
export const MAIN_WORLDS: ReadonlySet<string> = new Set(['D', 'R']);

/** Written from published sources, in rules of their own: no policy is chosen on them. Emails and whatever is not named are as in D. */
const OUTSIDE: readonly World[] = [
  { ...D, name: 'household balances', balanceOf: simulateHousehold },
  { ...D, name: "issuers' rules", strained: 0.03, issuerRules: ISSUER_RULES },
];

export const OUTSIDE_WORLDS: ReadonlySet<string> = new Set(OUTSIDE.map(({ name }) => name));

/** The two worlds that fit what is published, and what else might be true: stripe-facts 13.6. */
export const WORLDS: readonly World[] = [
  D,
  R,
  { ...R, name: 'R, all weekly pay', cycles: only('weekly') },
  { ...R, name: 'R, all monthly pay', cycles: only('monthly') },
  { ...D, name: 'no regular paydays', kinds: { regular: 0, irregular: 1, dry: 0 } },
  { ...D, name: 'D, more dry accounts', kinds: { regular: 0.2, irregular: 0.1, dry: 0.7 } },
  { ...D, name: 'D, strong fatigue', fatigue: { falseDecline: 0.6, noMoney: 0.9 } },
  { ...D, name: 'D, night x0.7', night: 0.7 },
  { ...D, name: 'D, legacy codes', hidden: 0.6 },
  { ...D, name: 'D, 60 % heal', heals: 0.6 },
  { ...D, name: 'D, no email', email: 0 },
  { ...D, name: 'D, email x2', email: 2 },
  { ...D, name: 'D, cancel x3', cancelPerDay: 0.012 },
  { ...D, name: 'D, 400 subscribers', subscribers: 400 },
  { ...R, name: 'R, 400 subscribers', subscribers: 400 },
  ...OUTSIDE,
];
