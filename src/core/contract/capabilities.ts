/** A service's capabilities beyond the contract, as `GET /v1/capabilities` lists them. Without that path it has none. */
import { z } from 'zod';

export const CAPABILITIES = [
  /** Accepts the fields of `contract-extensions.ts`, including requests ended by a guard. */
  'extended_records',
  'recovery_cases',
  'forgotten_customers',
  /** Accepts outcomes of its requests (`request-outcomes.ts`). */
  'request_outcomes',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

export const capabilitiesAnswer = z.object({
  capabilities: z.array(z.string()).describe(`Known ones are ${CAPABILITIES.join(', ')}.`),
});
