import { invalidParameter } from '../api-error.ts';
import { type Fields, isFields } from '../objects/fields.ts';
import { type CurrencyOption, listOf, type PriceTier } from '../objects/wire.ts';
import type { World } from '../sandbox-world.ts';

/** Names in one expand path, `data` of lists included (stripe-facts 3.3). */
const MAX_DEPTH = 4;

/** Throws for a path that is too deep; called before the endpoint runs, so that no work is left behind. */
export function assertExpandDepth(paths: readonly string[]): void {
  for (const path of paths) {
    if (path.split('.').length <= MAX_DEPTH) continue;
    throw invalidParameter(
      `You cannot expand more than ${MAX_DEPTH} levels of a property. Property: ${path}`,
      {
        param: 'expand',
      },
    );
  }
}

/** A copy of the answer with ids replaced by objects along the paths; the state itself is never touched. */
export function expandAnswer(world: World, answer: object, paths: readonly string[]): unknown {
  return paths.reduce<unknown>((value, path) => expandPath(world, value, path.split('.')), answer);
}

function expandPath(world: World, value: unknown, path: readonly string[]): unknown {
  const [head, ...rest] = path;
  if (head === undefined || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => expandPath(world, item, path));
  if (!isFields(value)) throw notExpandable(head);
  if (!(head in value) && isOfAnotherKind(value)) return value;
  if (!(head in value) && !findIncludable(world, value, head)) throw notExpandable(head);
  return { ...value, [head]: expandPath(world, resolve(world, value, head), rest) };
}

function resolve(world: World, owner: Fields, key: string): unknown {
  const value = owner[key];
  const include = findIncludable(world, owner, key);
  if (include !== undefined && !isFields(value)) return include(world, owner);
  if (typeof value === 'string') return findObject(world, value) ?? notAnId(key);
  if (Array.isArray(value)) {
    return value.map((item: unknown) =>
      typeof item === 'string' ? (findObject(world, item) ?? item) : item,
    );
  }
  return value;
}

/** A payment that is a payment record has no payment intent to expand; `type` decides. */
function isOfAnotherKind(value: Fields): boolean {
  return 'type' in value && !('object' in value);
}

function notAnId(key: string): never {
  throw notExpandable(key);
}

function notExpandable(key: string) {
  return invalidParameter(`This property cannot be expanded (${key}).`, { param: 'expand' });
}

type Include = (world: World, owner: Fields) => unknown;

/** Fields that appear only when expanded. */
const INCLUDABLE: Readonly<Record<string, Record<string, Include>>> = {
  invoice: {
    payments: (world, invoice) => paymentsOf(world, String(invoice.id)),
  },
  customer: {
    subscriptions: (world, customer) => subscriptionsOf(world, String(customer.id)),
  },
  price: {
    tiers: (world, price) => tiersOf(world, optionsOf(world, price)[String(price.currency)]),
    currency_options: optionsOf,
  },
};

function findIncludable(world: World, owner: Fields, key: string): Include | undefined {
  // A currency option does not say what kind of object it is.
  if (key === 'tiers' && world.tiers.has(owner)) return tiersOf;
  return INCLUDABLE[String(owner.object)]?.[key];
}

function tiersOf(world: World, option: object | undefined): PriceTier[] | undefined {
  return option && world.tiers.get(option);
}

function optionsOf(world: World, price: Fields): Record<string, CurrencyOption> {
  return world.currencyOptions.get(String(price.id)) ?? {};
}

function paymentsOf(world: World, invoice: string): object {
  const payments = [...world.invoicePayments.newestFirst({ index: 'invoice', key: invoice })];
  return listOf(`/v1/invoice_payments?invoice=${invoice}`, payments);
}

function subscriptionsOf(world: World, customer: string): object {
  const current = [...world.subscriptions.newestFirst({ index: 'customer', key: customer })].filter(
    ({ status }) => status !== 'canceled' && status !== 'incomplete_expired',
  );
  return listOf(`/v1/customers/${customer}/subscriptions`, current);
}

const FINDERS: Readonly<Record<string, (world: World, id: string) => object | undefined>> = {
  acct: (world, id) => (world.account.id === id ? world.account : undefined),
  cus: (world, id) => world.customers.get(id) ?? deletedCustomer(world, id),
  pm: (world, id) => world.paymentMethods.get(id),
  prod: (world, id) => world.products.get(id),
  price: (world, id) => world.prices.get(id),
  sub: (world, id) => world.subscriptions.get(id),
  in: (world, id) => world.invoices.get(id),
  inpay: (world, id) => world.invoicePayments.get(id),
  pi: (world, id) => world.paymentIntents.get(id),
  ch: (world, id) => world.charges.get(id),
  py: (world, id) => world.charges.get(id),
  mandate: (world, id) => world.mandates.get(id),
  re: (world, id) => world.refunds.get(id),
  pyr: (world, id) => world.refunds.get(id),
  dp: (world, id) => world.disputes.get(id),
  seti: (world, id) => world.setupIntents.get(id),
};

function findObject(world: World, id: string): object | undefined {
  return FINDERS[id.slice(0, id.indexOf('_'))]?.(world, id);
}

export function deletedCustomer(world: World, id: string): object | undefined {
  return world.deletedCustomers.has(id) ? { id, object: 'customer', deleted: true } : undefined;
}
