/** Reasons of actions and omissions: stored as a stable code with parameters, on which code acts, and shown as a sentence. */
import { z } from 'zod';
import { COLLECTING_REASONS } from './collecting-reasons.ts';
import type { Wording } from './define-reason.ts';
import { ENDING_REASONS } from './ending-reasons.ts';
import { PAYMENT_REASONS } from './payment-reasons.ts';
import { READING_REASONS } from './reading-reasons.ts';

const REASONS = { ...READING_REASONS, ...COLLECTING_REASONS, ...PAYMENT_REASONS, ...ENDING_REASONS };

type Reasons = typeof REASONS;
export type ReasonCode = keyof Reasons;
type Schemas = {
  [Code in ReasonCode]: z.ZodObject<Omit<Reasons[Code]['shape'], 'code'> & { code: z.ZodLiteral<Code> }>;
};

/** A code with its parameters. */
export type Reason = z.output<Schemas[ReasonCode]>;

const schemas = Object.entries(REASONS).map(([code, { shape }]) =>
  z.object({ code: z.literal(code), ...shape }),
);

/** Each code has its own parameters, which the compiler cannot see through the table. */
export const reasonSchema = z.discriminatedUnion(
  'code',
  schemas as unknown as [Schemas[ReasonCode], ...Schemas[ReasonCode][]],
);

/** Stored by another version, a reason may be unknown. */
export function sentenceOf(stored: Reason, wording: Wording): string {
  const reason = readReason(stored);
  const { sentence } = REASONS[reason.code] as { sentence: (reason: Reason, wording: Wording) => string };
  return sentence(reason, wording);
}

/** Reads a stored reason; an unknown one of another version is kept as text. */
export function readReason(stored: unknown): Reason {
  const { success, data } = reasonSchema.safeParse(stored);
  if (success) return data;
  return { code: 'unknown_code', text: typeof stored === 'string' ? stored : JSON.stringify(stored) };
}
