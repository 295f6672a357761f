import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { createSimulatedClock, type SimulatedClock } from '../../../src/core/base/clock.ts';
import {
  acceptsFirst,
  declines,
  type PaymentMethodBehaviour,
} from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/workbench/sandbox/sandbox.ts';

export const START = DateTime.fromISO('2026-11-01T09:00:00Z', { zone: 'utc' });

export interface TestSandbox {
  sandbox: Sandbox;
  stripe: Stripe;
  clock: SimulatedClock;
  stop(): Promise<void>;
}

export async function startTestSandbox(
  options: Partial<Omit<SandboxOptions, 'clock'>> = {},
): Promise<TestSandbox> {
  const clock = createSimulatedClock(START);
  const sandbox = await startSandbox({ clock, ...options });
  const { hostname, port } = new URL(sandbox.url);
  const stripe = new Stripe(sandbox.secretKey, {
    host: hostname,
    port,
    protocol: 'http',
    apiVersion: '2026-10-28.endive',
    maxNetworkRetries: 0,
    telemetry: false,
  });
  return { sandbox, stripe, clock, stop: () => sandbox.stop() };
}

/** Lets everything happen that is due until then, each at its time. */
export async function runUntil({ sandbox, clock }: TestSandbox, end: DateTime): Promise<void> {
  for (let due = sandbox.nextDueAt(); due !== undefined && due <= end; due = sandbox.nextDueAt()) {
    await clock.set(due);
    await sandbox.run();
  }
  await clock.set(end);
}

/** A customer whose card takes the first payment and then answers as given, with a monthly subscription. */
export function subscribe(sandbox: Sandbox, then: PaymentMethodBehaviour = declines('insufficient_funds')) {
  const customer = sandbox.createCustomer({
    email: 'ann@example.com',
    paymentMethod: acceptsFirst(1, then),
  });
  const price = sandbox.createPrice();
  const subscription = sandbox.createSubscription({ customer: customer.id, items: [{ price: price.id }] });
  return { customer, price, subscription };
}

/** The Stripe error of a call that must fail. */
export async function errorOf(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error('The call was expected to fail');
}

export function typesSince(sandbox: Sandbox, count: number): string[] {
  return [...sandbox.state.events.newestFirst()]
    .reverse()
    .slice(count)
    .map(({ type }) => type);
}
