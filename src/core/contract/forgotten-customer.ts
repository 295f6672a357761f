/** Request to the embedded service to forget a customer. Remote services have no such operation. */
import { z } from 'zod';
import { identifier } from './contract-fields.ts';
export const forgottenCustomer = z.object({ customerId: identifier });
export const forgottenAnswer = z.object({
  removed: z.record(z.string(), z.int()).describe('How many records lost something, by kind.'),
});
