/** A simulated account with a year behind it, in which Stripe's own retries did the collecting. */
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../kit/clock.ts';
import { type Agenda, createAgenda } from '../demo/agenda.ts';
import { createRandom, type Random } from '../simulation/random.ts';
import { ApiError } from '../stripe/api-error.ts';
import { type Sandbox, startSandbox } from '../stripe/sandbox.ts';
import { createPastCustomer } from './past-customers.ts';

export interface PastOptions {
  /** When the year ends. */
  readonly end: DateTime;
  readonly customers: number;
  readonly seed: number;
  readonly months?: number;
}

/** On the last days of a month the merchant tries some of what is still open, by hand. */
const SHARE_BY_HAND = 0.5;

/** The caller stops it. */
export async function startPastAccount(options: PastOptions): Promise<Sandbox> {
  const { end, seed, months = 12 } = options;
  const start = end.minus({ months });
  const clock = createSimulatedClock(start);
  const sandbox = await startSandbox({
    clock,
    seed,
    accountName: 'Northwind Tea (simulated)',
    stripeRetries: 'smart',
    afterLastRetry: 'past_due',
  });
  const agenda = createAgenda();
  addCustomers(sandbox, agenda, { ...options, start });
  const random = createRandom(seed);
  for (let month = 1; month <= months; month += 1)
    agenda.add(start.plus({ months: month }).minus({ days: 2 }), () => tryByHand(sandbox, random));
  for (;;) {
    const next = DateTime.min(sandbox.nextDueAt() ?? end, agenda.nextAt() ?? end);
    if (next >= end) break;
    if (next > clock.now()) await clock.set(next);
    await agenda.runDue(clock.now());
    await sandbox.run();
  }
  await clock.set(end);
  return sandbox;
}

function addCustomers(
  sandbox: Sandbox,
  agenda: Agenda,
  { start, end, customers, seed }: PastOptions & { readonly start: DateTime },
): void {
  const days = Math.floor(end.diff(start).as('days'));
  const prices = new Map<string, string>();
  for (let index = 0; index < customers; index += 1) {
    const { currency, amount, country, card, startsOnDay, replacement } = createPastCustomer(seed, index, {
      start,
      days,
    });
    const price =
      prices.get(currency) ??
      sandbox.createPrice({ currency, unit_amount: amount, product_data: { name: 'Tea box' } }).id;
    prices.set(currency, price);
    const { id } = sandbox.createCustomer({ name: `Customer ${index + 1}`, country, paymentMethod: card });
    sandbox.importSubscription({
      customer: id,
      currency,
      items: [{ price }],
      billing_cycle_anchor: Math.floor(start.plus({ days: startsOnDay, hours: index % 24 }).toSeconds()),
    });
    if (replacement && replacement.day < days)
      agenda.add(start.plus({ days: replacement.day }), () => {
        sandbox.changeDefaultCard(id, replacement.card);
      });
  }
}

function tryByHand(sandbox: Sandbox, random: Random): void {
  for (const { id, status, attempted } of sandbox.state.invoices.newestFirst()) {
    if (status !== 'open' || !attempted || random.uniform() > SHARE_BY_HAND) continue;
    try {
      sandbox.payAsMerchant(id);
    } catch (error) {
      // A decline is what most of them come to.
      if (!(error instanceof ApiError)) throw error;
    }
  }
}
