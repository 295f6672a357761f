/** Cases as the policy is asked about them. */
import type {
  FailedAttempt,
  GivenInstruction,
  PaymentCase,
} from '../../../src/service/policy/payment-case.ts';
import { at } from '../service-messages.ts';

/** A Monday. */
export const FIRST = at('2026-03-02T10:00:00Z');

export function failed(day: number, code: string | undefined, methodType = 'card'): FailedAttempt {
  return { at: FIRST.plus({ days: day }), code, methodType };
}

export function given(
  day: number,
  suggestion: GivenInstruction['suggestion'],
  reason = 'r',
): GivenInstruction {
  return { at: FIRST.plus({ days: day }), suggestion, reason };
}

export function buildCase(overrides: Partial<PaymentCase> = {}): PaymentCase {
  return {
    id: 'in_1',
    amount: 2000,
    currency: 'EUR',
    zone: 'UTC',
    brand: 'visa',
    attempts: [failed(0, 'insufficient_funds')],
    instructions: [],
    ...overrides,
  };
}
