/** Whom an event is about, so that it can be forgotten. */
import { z } from 'zod';

const id = z.union([z.string(), z.object({ id: z.string() }).transform((object) => object.id)]);
const about = z.object({
  object: z.string().optional().catch(undefined),
  id: z.string().optional().catch(undefined),
  customer: id.optional().catch(undefined),
  customer_account: id.optional().catch(undefined),
  charge: id.optional().catch(undefined),
});
const withObject = z.compile(z.object({ data: z.object({ object: about }) }));

const LONGEST = 255;

/** A customer's id; of what names none, the charge's; empty for nobody. */
export function personOf(event: unknown): string {
  const parsed = withObject.safeParse(event);
  if (!parsed.success) return '';
  const { object, id: own, customer, customer_account: account, charge } = parsed.data.data.object;
  const person = object === 'customer' ? own : (customer ?? account ?? charge);
  return person !== undefined && /^[!-~]+$/.test(person) ? person.slice(0, LONGEST) : '';
}
