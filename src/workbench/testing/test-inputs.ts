/** What tests hand over, checked: a field that is misspelled would leave a test green that tests nothing. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { findNearest, refuseUnknown } from '../../core/base/nearest-name.ts';
import { parseGiven } from '../../core/contract/parse-given.ts';
import { DECLINES } from '../../core/declines/find-decline.ts';
import type { Plugin, PluginOptions } from '../../plugin/app/plugin.ts';
import type { RetryMode } from '../../plugin/settings/schema/retry-mode.ts';
import type { CardInput } from '../sandbox/payment-behaviour.ts';
import type { NewCustomer } from '../sandbox/sandbox-arrangements.ts';

export interface TestWorldOptions {
  /** When the story begins: a Date, or ISO 8601. A Monday morning without it. */
  readonly start?: Date | string;
  /** Settings and handlers of the plugin, as your application gives them. */
  readonly plugin: PluginOptions & { readonly mode: RetryMode };
  /** Your application with the plugin mounted in it; without it the plugin is alone. */
  readonly app?: (plugin: Plugin) => (request: IncomingMessage, response: ServerResponse) => void;
  /** Where the plugin is mounted. */
  readonly prefix?: string;
  /** Where your application is reached; any free port without it. */
  readonly port?: number;
}

export interface FailingRenewal extends Omit<NewCustomer, 'paymentMethod' | 'isAccount'> {
  /** The smallest unit; 2000 by default. */
  readonly amount?: number;
  /** `usd` without it. */
  readonly currency?: string;
  /** Stripe's code; `insufficient_funds` without it. */
  readonly declineCode?: string;
  /** Declines before the card pays. By default it never does: give a `newCard`. */
  readonly declines?: number;
}

export interface TestCard extends CardInput {
  /** Stripe's code, with which each charge is declined. Without it the card is good. */
  readonly declineCode?: string;
}

/** A length of time; several fields add up. */
export interface Span {
  readonly weeks?: number;
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
}

type Fields<Input> = { readonly [Name in keyof Required<Input>]: z.ZodType };

const CODES = DECLINES.map(({ code }) => code);

const text = z.string().optional();
const amount = z.int().min(0).optional();
const number = z.number().optional();
const declineCode = z
  .string()
  .refine((code) => CODES.includes(code), {
    error: ({ input }) => {
      const nearest = findNearest(String(input), CODES);
      return `there is no decline code ${input}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
    },
  })
  .optional();

const RENEWAL = {
  amount,
  currency: text,
  declineCode,
  declines: amount,
  email: z.string().nullish(),
  name: text,
  country: text,
  state: text,
  locale: text,
  metadata: z.record(z.string(), z.string()).optional(),
} satisfies Fields<FailingRenewal>;

const CARD = {
  declineCode,
  brand: text,
  funding: text,
  last4: text,
  fingerprint: text,
  expMonth: number,
  expYear: number,
  country: text,
  wallet: z.enum(['apple_pay', 'google_pay']).optional(),
} satisfies Fields<TestCard>;

const SPAN = { weeks: number, days: number, hours: number, minutes: number } satisfies Fields<Span>;

const OPTIONS = {
  start: z.unknown().optional(),
  plugin: z.looseObject({}, "is required, with the mode: { plugin: { mode: 'advisory' } }"),
  app: z.unknown().optional(),
  prefix: text,
  port: amount,
} satisfies Fields<TestWorldOptions>;

/** Each throws REQUEST_INVALID, which names what does not fit. */
export const checkRenewal = checked(RENEWAL, 'field of failRenewal:');
export const checkCard = checked(CARD, 'field of newCard:');
export const checkSpan = checked(SPAN, 'unit of time');
export const checkOptions = checked(OPTIONS, 'option of createTestWorld:');

function checked(fields: z.ZodRawShape, what: string) {
  const schema = z.object(fields);
  return (given: object): void => {
    refuseUnknown(given, fields, what);
    parseGiven(schema, given);
  };
}
