/**
 * Test clocks (stripe-facts 8.1). A clock's objects live in the same account at the clock's own time: a view shares everything
 * of the account but its time and its due tasks.
 */
import { type Clock, fromUnixSeconds } from '../../core/base/clock.ts';
import { invalidParameter, retrieve } from './api-error.ts';
import { nextRenewal } from './billing/renew-subscription.ts';
import { isOver } from './billing/subscription-status.ts';
import { createDueQueue } from './due-queue.ts';
import type { Customer, Subscription, TestClock } from './objects/wire.ts';
import { publish } from './publish-event.ts';
import { BY_ITSELF, unixNow, type World } from './sandbox-world.ts';

const LIVES_DAYS = 30;
const MOST_CUSTOMERS = 3;

export function createTestClock(
  world: World,
  input: { frozen_time: number; name?: string | undefined },
): TestClock {
  const created = unixNow(world);
  const clock: TestClock = world.testClocks.add({
    id: world.ids.next('clock'),
    object: 'test_helpers.test_clock',
    created,
    deletes_after: Math.floor(fromUnixSeconds(created).plus({ days: LIVES_DAYS }).toSeconds()),
    frozen_time: input.frozen_time,
    livemode: false,
    name: input.name ?? null,
    status: 'ready',
    status_details: {},
  });
  const time: Clock = { ...world.clock, now: () => fromUnixSeconds(clock.frozen_time) };
  world.atTestClock.set(
    clock.id,
    Object.create(world, {
      clock: { value: time },
      due: { value: createDueQueue() },
      testClock: { value: clock.id },
      cause: { value: BY_ITSELF, writable: true },
    }),
  );
  return clock;
}

/** The account at the time of what a call is about. */
export function worldOf(
  world: World,
  { id, params }: { id: string; params: Record<string, unknown> },
): World {
  const named = NAMING.map((name) => params[name]).find((value) => typeof value === 'string') ?? id;
  const customer = world.customers.get(ownerOf(world, String(named)));
  return world.atTestClock.get(String(params.test_clock ?? customer?.test_clock ?? '')) ?? world;
}

/** Parameters that name the subject of a call; without any the path does. */
const NAMING = ['customer', 'invoice', 'charge', 'subscription'] as const;

const OWNED = [
  'invoices',
  'subscriptions',
  'paymentMethods',
  'paymentIntents',
  'charges',
  'setupIntents',
  'creditNotes',
  'schedules',
] as const;

/** The customer of the object with this id. */
function ownerOf(world: World, id: string): string {
  const charged = world.disputes.get(id)?.charge ?? world.refunds.get(id)?.charge ?? id;
  for (const kind of OWNED) {
    const owned = world[kind].get(charged);
    if (owned !== undefined) return owned.customer ?? id;
  }
  return id;
}

/** Answers immediately; time passes when the account next runs. */
export function advanceTestClock(world: World, clock: TestClock, to: number): TestClock {
  if (clock.status !== 'ready') throw invalidParameter('The test clock is still advancing.', {});
  if (to <= clock.frozen_time)
    throw invalidParameter('A test clock can only be moved forward.', { param: 'frozen_time' });
  const furthest = findFurthest(world, clock);
  if (to > furthest)
    throw invalidParameter(
      'You cannot advance a test clock by more than two intervals of its shortest subscription.',
      { param: 'frozen_time' },
    );
  clock.status = 'advancing';
  clock.status_details = { advancing: { target_frozen_time: to } };
  world.due.add({
    atMs: world.clock.now().toMillis(),
    isCurrent: () => clock.status === 'advancing',
    run: () => passTime(world, clock, to),
  });
  return clock;
}

function passTime(world: World, clock: TestClock, to: number): void {
  const view = world.atTestClock.get(clock.id);
  if (view === undefined) return;
  for (let task = view.due.takeDue(to * 1000); task !== undefined; task = view.due.takeDue(to * 1000)) {
    clock.frozen_time = Math.max(clock.frozen_time, Math.floor(task.atMs / 1000));
    view.cause = BY_ITSELF;
    task.run();
  }
  clock.frozen_time = to;
  clock.status = 'ready';
  clock.status_details = {};
  publish(world, 'test_helpers.test_clock.ready', clock);
}

/** Deletes the clock, its customers and their subscriptions. */
export function deleteTestClock(
  world: World,
  clock: TestClock,
  deleteCustomer: (view: World, customer: Customer) => unknown,
): object {
  const view = world.atTestClock.get(clock.id) ?? world;
  for (const customer of customersOf(world, clock)) deleteCustomer(view, customer);
  world.testClocks.remove(clock.id);
  world.atTestClock.delete(clock.id);
  return { id: clock.id, object: 'test_helpers.test_clock', deleted: true };
}

export function assertRoomForCustomer(world: World, id: string): void {
  if (customersOf(world, retrieve(world.testClocks, 'test_clock', id)).length >= MOST_CUSTOMERS)
    throw invalidParameter('A test clock can have up to three customers.', { param: 'test_clock' });
}

function customersOf(world: World, clock: TestClock): Customer[] {
  return [...world.customers.newestFirst()].filter(({ test_clock: own }) => own === clock.id);
}

/** Two intervals of the shortest subscription; two years without any. */
function findFurthest(world: World, clock: TestClock): number {
  const now = fromUnixSeconds(clock.frozen_time);
  const intervals = customersOf(world, clock)
    .flatMap(({ id }) => [...world.subscriptions.newestFirst({ index: 'customer', key: id })])
    .filter((subscription) => !isOver(subscription))
    .map(intervalOf);
  const shortest = Math.min(...intervals, Math.floor(now.plus({ years: 1 }).toSeconds()) - clock.frozen_time);
  return clock.frozen_time + 2 * shortest;
}

function intervalOf(subscription: Subscription): number {
  const starts = subscription.items.data.map((item) => item.current_period_start);
  return nextRenewal(subscription) - Math.max(...starts);
}
