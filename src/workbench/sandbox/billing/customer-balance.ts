import type { Customer, Invoice } from '../objects/wire.ts';
import { update } from '../publish-event.ts';
import type { World } from '../sandbox-world.ts';

/** The least charge; smaller amounts are owed with the next invoice (stripe-facts 3.13). */
const LEAST_CHARGES: Readonly<Record<string, number>> = { usd: 50, eur: 50, gbp: 30, jpy: 50 };

/** Minor units; negative is the customer's credit. */
export function setBalance(world: World, customer: Customer, balance: number, currency: string): void {
  if (customer.balance === balance) return;
  update(world, 'customer.updated', customer, { balance, currency: customer.currency ?? currency });
}

/** When an invoice is finalized, the customer's balance is taken into it. */
export function applyBalance(world: World, invoice: Invoice): void {
  const customer = world.customers.get(invoice.customer ?? '');
  const isItsCurrency = (customer?.currency ?? invoice.currency) === invoice.currency;
  const starting = customer !== undefined && isItsCurrency ? customer.balance : 0;
  const owed = invoice.total + starting;
  const due = owed < (LEAST_CHARGES[invoice.currency] ?? 0) ? 0 : owed;
  invoice.starting_balance = starting;
  invoice.ending_balance = owed - due;
  invoice.amount_due = due;
  invoice.amount_remaining = due;
  if (customer !== undefined && isItsCurrency)
    setBalance(world, customer, invoice.ending_balance, invoice.currency);
}

/** A voided invoice gives back what it took. */
export function returnBalance(world: World, invoice: Invoice): void {
  const customer = world.customers.get(invoice.customer ?? '');
  const taken = invoice.starting_balance - (invoice.ending_balance ?? invoice.starting_balance);
  if (customer !== undefined && taken !== 0)
    setBalance(world, customer, customer.balance + taken, invoice.currency);
}
