import { z } from 'zod';
import { systemClock } from '../kit/clock.ts';
import { ConfigError } from '../kit/errors.ts';
import { declinesInTurn } from '../sandbox/stripe/payment-behaviour.ts';
import { type Sandbox, startSandbox } from '../sandbox/stripe/sandbox.ts';
import { stopOnSignal } from './process/stop-on-signal.ts';

const sandboxOptions = z.object({ port: z.coerce.number().int().min(0).max(65_535).default(12_111) });

const LOOK_EVERY_MS = 500;
/** The first renewal fails so soon that one can watch. */
const FIRST_RENEWAL = { seconds: 90 } as const;

/** Runs until it is stopped; keeps nothing. */
export async function runSandbox(options: unknown): Promise<undefined> {
  const parsed = sandboxOptions.safeParse(options);
  if (!parsed.success) throw new ConfigError(['--port must be a whole number from 0 to 65535']);
  const sandbox = await startSandbox({ clock: systemClock, draftHours: 0, ...parsed.data });
  addCustomer(sandbox);
  const timer = setInterval(() => void sandbox.run(), LOOK_EVERY_MS);
  stopOnSignal(async () => {
    clearInterval(timer);
    await sandbox.stop();
  });
  process.stdout.write(`A Stripe account for trying, at ${sandbox.url}. Nothing is kept, nothing is charged.
In another terminal, in a folder of its own:

  npx stripe-payment-retry init --yes --set STRIPE_SECRET_KEY=${sandbox.secretKey} STRIPE_API_BASE=${sandbox.url}
  npx stripe-payment-retry connect
  npx stripe-payment-retry start

and in a third one there: npx stripe-payment-retry doctor
One customer's renewal fails in ${FIRST_RENEWAL.seconds} seconds: \`status\` and the console show what becomes of it.
`);
}

function addCustomer(sandbox: Sandbox): void {
  const { id } = sandbox.createCustomer({
    name: 'Ada Example',
    email: 'ada@example.com',
    country: 'DE',
    paymentMethod: declinesInTurn(['insufficient_funds', 'insufficient_funds']),
  });
  const price = sandbox.createPrice({ unit_amount: 2000, product_data: { name: 'Tea box' } });
  const since = systemClock.now().minus({ months: 1 }).plus(FIRST_RENEWAL);
  const seconds = Math.floor(since.toSeconds());
  sandbox.importSubscription({
    customer: id,
    items: [{ price: price.id }],
    backdate_start_date: seconds,
    billing_cycle_anchor: seconds,
  });
}
