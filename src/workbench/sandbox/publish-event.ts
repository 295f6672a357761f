import Stripe from 'stripe';
import { isFields } from './objects/fields.ts';
import type { Event, EventObject, EventType, NativeEventType, ObjectOf } from './objects/wire.ts';
import { unixNow, type World } from './sandbox-world.ts';

type UpdateType = Extract<
  EventType,
  `${string}.updated` | 'payment_method.automatically_updated' | 'payment_method.detached'
>;

/** Stores an event with a copy of the current object, and hands it to the deliverer. */
export function publish<Type extends EventType>(world: World, type: Type, object: ObjectOf<Type>): void {
  store(world, type, object);
}

/** An event of API v2, which is thin by nature: no endpoint for snapshots gets it, and no list of API v1 has it. */
export function publishNative(world: World, type: NativeEventType, object: EventObject): void {
  store(world, type, object);
}

/** A copy to compare with later, for `publishUpdated`. */
export function snapshotOf<T>(object: T): T {
  return structuredClone(object);
}

/** Changes the object, and publishes that. */
export function update<Type extends UpdateType>(
  world: World,
  type: Type,
  object: ObjectOf<Type>,
  changes: Partial<ObjectOf<Type>>,
): void {
  const before = snapshotOf(object);
  Object.assign(object, changes);
  publishUpdated(world, type, object, before);
}

/** Publishes the change since the snapshot, with the old values of what changed; nothing when nothing did. */
export function publishUpdated<Type extends UpdateType>(
  world: World,
  type: Type,
  object: ObjectOf<Type>,
  before: ObjectOf<Type>,
): void {
  const previous = previousAttributes(before, object);
  if (previous !== undefined) store(world, type, object, previous);
}

function store(
  world: World,
  type: Event['type'],
  object: EventObject,
  previous?: Record<string, unknown>,
): void {
  const event: Event = {
    id: world.ids.next('evt'),
    object: 'event',
    ...(world.isConnected ? { account: world.account.id } : {}),
    api_version: Stripe.API_VERSION,
    created: unixNow(world),
    data: {
      object: showAccounts(world, structuredClone(object)),
      ...(previous === undefined ? {} : { previous_attributes: structuredClone(previous) }),
    },
    livemode: false,
    pending_webhooks: 0,
    request: world.cause,
    type,
  };
  world.events.add(event);
  for (const listener of world.eventListeners) listener(event);
}

/** Old values of changed keys; nested objects by key, arrays whole (stripe-facts 1.3). */
function previousAttributes(before: object, after: object): Record<string, unknown> | undefined {
  const old = new Map<string, unknown>(Object.entries(before));
  const changed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(after)) {
    const was = old.get(key) ?? null;
    if (isFields(was) && isFields(value)) {
      const nested = previousAttributes(was, value);
      if (nested !== undefined) changed[key] = nested;
    } else if (JSON.stringify(was) !== JSON.stringify(value ?? null)) {
      changed[key] = was;
    }
  }
  return Object.keys(changed).length === 0 ? undefined : changed;
}

/**
 * Customers that are accounts of Accounts v2. Inside the sandbox they are customers like all others; what leaves it names
 * the account in `customer_account` and no `customer`, and what comes in may name it so.
 */
type Accounts = Pick<World, 'customerAccounts'>;

/** A copy as Stripe shows it. */
export function showAccounts<T>(world: Accounts, value: T): T {
  if (world.customerAccounts.size === 0) return value;
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) => showOwner(world, part));
}

function showOwner({ customerAccounts }: Accounts, part: unknown): unknown {
  if (!isFields(part) || !('customer_account' in part) || !('customer' in part)) return part;
  const owner = isFields(part.customer) ? part.customer.id : part.customer;
  const account = customerAccounts.get(String(owner));
  return account === undefined ? part : { ...part, customer: null, customer_account: account };
}

/** The customer's id for an account's, in a path or among parameters. */
export function findAccountOwner({ customerAccounts }: Accounts, id: string): string | undefined {
  for (const [customer, account] of customerAccounts) if (account === id) return customer;
  return undefined;
}

export function readOwner(world: Accounts, params: Record<string, unknown>): Record<string, unknown> {
  const { customer_account: account, ...rest } = params;
  const customer = typeof account === 'string' ? findAccountOwner(world, account) : undefined;
  return customer === undefined ? params : { ...rest, customer };
}
