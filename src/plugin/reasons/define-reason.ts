/** Defines a reason: its stored parameters and its sentence. */
import { DateTime } from 'luxon';
import { z } from 'zod';

/** Formats the parameters of a sentence. */
export interface Wording {
  /** `invoice in_1`, for readers who can look it up. */
  readonly name: (what: string, id: string) => string;
  readonly moment: (at: DateTime) => string;
  readonly action: (kind: string) => string;
  readonly code: (code: string) => string;
  /** `“Your payment failed”`, by template. */
  readonly email: (template: string) => string;
  readonly money: (amount: number, currency: string) => string;
  readonly state: (state: string) => string;
}

export const text = z.string();
export const count = z.number();

/** Reads a UTC time in ISO form. */
export function instant(iso: string): DateTime {
  return DateTime.fromISO(iso, { zone: 'utc' });
}

/** A reason about a subscription, whose name the sentence gets. */
export const ofSubscription = (sentence: (subscription: string) => string) =>
  reason({ subscriptionId: text }, ({ subscriptionId }, { name }) =>
    sentence(name('subscription', subscriptionId)),
  );

/** A reason about an email, whose subject the sentence gets. */
export const ofEmail = (sentence: (email: string) => string) =>
  reason({ template: text }, ({ template }, { email }) => sentence(email(template)));

/** A reason with the words of a code of Stripe's, or ours. */
export const ofCode = (sentence: (because: string) => string) =>
  reason({ because: text }, ({ because }, { code }) => sentence(code(because)));

export function reason<Shape extends z.ZodRawShape>(
  shape: Shape,
  sentence: (parameters: z.output<z.ZodObject<Shape>>, wording: Wording) => string,
) {
  return { shape, sentence };
}
