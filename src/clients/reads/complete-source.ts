/** Cards and bank accounts from before there were payment methods: Stripe names them by id and shows them only when asked. */
import type Stripe from 'stripe';
import { expanded, listChosenMethods } from '../chosen-methods.ts';

export type FindSource = (customer: string, id: string) => Promise<Stripe.CustomerSource | undefined>;

type Owner = { default_source?: string | Stripe.CustomerSource | null };

/** The invoice with the source that Stripe would charge, where that is one. */
export async function completeSource(invoice: Stripe.Invoice, find: FindSource): Promise<Stripe.Invoice> {
  const [first] = listChosenMethods(invoice);
  const customer = expanded(invoice.customer);
  if (typeof first !== 'string' || !customer) return invoice;
  const source = await find(customer.id, first);
  if (!source) return invoice;
  const owners: (Owner | undefined)[] = [
    invoice,
    expanded(invoice.parent?.subscription_details?.subscription),
    customer.deleted ? undefined : customer,
  ];
  const owner = owners.find((one) => one?.default_source === first);
  if (owner) owner.default_source = source;
  return invoice;
}
