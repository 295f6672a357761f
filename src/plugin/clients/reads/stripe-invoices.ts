/** Reads of invoices. */
import type Stripe from 'stripe';
import { expanded, listChosenMethods, subscriptionOf } from '../chosen-methods.ts';
import { ownedBy } from '../customer-reference.ts';
import type { Patience } from '../patience.ts';
import { ifAllowed, orUndefined } from '../stripe-refusals.ts';

/** Lists return only objects for which `isOurs` holds. */
export function createStripeInvoices(
  stripe: Stripe,
  on: (account: string) => Stripe.RequestOptions,
  isOurs: (object: unknown) => boolean,
) {
  return {
    findInvoice: (account: string, id: string) =>
      orUndefined(() => stripe.invoices.retrieve(id, {}, on(account))),

    /** Reads an invoice with all facts for a payment decision (four levels of expansion at most). */
    findPayableInvoice: (account: string, id: string, patience: Patience = {}) =>
      orUndefined(async () => {
        const options = { ...on(account), ...patience };
        const invoice: Stripe.Invoice = await stripe.invoices.retrieve(
          id,
          {
            expand: [
              'default_payment_method',
              'customer.invoice_settings.default_payment_method',
              'customer.subscriptions',
              'parent.subscription_details.subscription.default_payment_method',
              'payments.data.payment.payment_intent',
            ],
          },
          options,
        );
        const owner = invoice.customer_account ?? null;
        if (invoice.customer !== null || owner === null)
          return completeSource(invoice, (customer, source) =>
            ifAllowed(() => stripe.customers.retrieveSource(customer, source, {}, options)),
          );
        return { ...invoice, customer: await findAccountAsCustomer(stripe, owner, options) };
      }),

    /** Lists a customer's unpaid invoices with automatic charges, including uncollectible ones, oldest first; by all its ids. */
    listUnpaidInvoices: async (
      account: string,
      owners: readonly string[],
      statuses: readonly ('open' | 'uncollectible' | 'draft')[] = ['open', 'uncollectible'],
    ): Promise<Stripe.Invoice[]> => {
      const unpaid = new Map<string, Stripe.Invoice>();
      for (const owner of owners) {
        for (const status of statuses) {
          const list = stripe.invoices.list(
            { ...ownedBy(owner), status, collection_method: 'charge_automatically', limit: 100 },
            on(account),
          );
          for (const invoice of await list.autoPagingToArray({ limit: 1_000 }))
            unpaid.set(invoice.id, invoice);
        }
      }
      return [...unpaid.values()].filter(isOurs).sort((left, right) => left.created - right.created);
    },
  };
}

/** Keeps the id that the invoice names. Null if Stripe shows no customer. */
async function findAccountAsCustomer(
  stripe: Stripe,
  id: string,
  options: Stripe.RequestOptions,
): Promise<Stripe.Customer | null> {
  const expand = ['invoice_settings.default_payment_method', 'subscriptions'];
  const customer = await orUndefined(() => stripe.customers.retrieve(id, { expand }, options));
  return customer === undefined || customer.deleted ? null : { ...customer, id };
}

/** Finds a card or bank account from before payment methods: Stripe shows them on request only. */
type FindSource = (customer: string, id: string) => Promise<Stripe.CustomerSource | undefined>;

type Owner = { default_source?: string | Stripe.CustomerSource | null };

/** The invoice with the source that Stripe would charge, if it is one. */
async function completeSource(invoice: Stripe.Invoice, find: FindSource): Promise<Stripe.Invoice> {
  const [first] = listChosenMethods(invoice);
  const customer = expanded(invoice.customer);
  if (typeof first !== 'string' || !customer) return invoice;
  const source = await find(customer.id, first);
  if (!source) return invoice;
  const owners: (Owner | undefined)[] = [
    invoice,
    subscriptionOf(invoice),
    customer.deleted ? undefined : customer,
  ];
  const owner = owners.find((one) => one?.default_source === first);
  if (owner) owner.default_source = source;
  return invoice;
}
