/** What a service can do beyond the contract, as `GET /v1/capabilities` lists it. A service without that path does the contract alone. */
import { z } from 'zod';

export const CAPABILITIES = [
  /** It takes the fields of `contract-extensions.ts`, requests that a guard ended included. */
  'extended_records',
  'recovery_cases',
  'forgotten_customers',
  /** It hears of each request what became of it (`request-outcomes.ts`). */
  'request_outcomes',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

export const capabilitiesAnswer = z.object({
  capabilities: z.array(z.string()).describe(`Known ones are ${CAPABILITIES.join(', ')}.`),
});
