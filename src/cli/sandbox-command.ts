import express from 'express';
import { z } from 'zod';
import { systemClock } from '../core/base/clock.ts';
import { readOptions } from '../core/base/command-options.ts';
import { InvalidRequestError, UpstreamError } from '../core/base/errors.ts';
import { silentLogger } from '../core/base/logger.ts';
import { answerErrors } from '../core/web/http-errors.ts';
import { tryToListen } from '../core/web/http-server.ts';
import { CONTROLS_PATH, type Controls, type Order, takeOrders } from '../workbench/playground/controls.ts';
import { createPlayground, runPlayground } from '../workbench/playground/playground.ts';
import { openShop } from '../workbench/playground/shop.ts';
import { declinesTimes } from '../workbench/sandbox/payment-behaviour.ts';
import { type Sandbox, startSandbox } from '../workbench/sandbox/sandbox.ts';
import { reportFailure } from './process/report-failure.ts';
import { stopOnSignal } from './process/stop-on-signal.ts';

const LOOK_EVERY_MS = 500;
/** The first renewal fails so soon that one can watch. */
const FIRST_RENEWAL_SECONDS = 90;

/** Runs a sandbox until stopped, which keeps nothing; with words, controls the running one. */
export async function runSandbox(words: readonly string[], options: unknown): Promise<number | undefined> {
  const { port } = readOptions(portOption, options, BAD_PORT);
  const [act, first, second] = words;
  if (act === undefined) return keepSandbox(port);
  const order = act === 'speed' ? { act, value: first } : { act, customer: first, value: second };
  process.stdout.write(await send(port, order));
  return 0;
}

async function keepSandbox(port: number): Promise<undefined> {
  await findPortFree(port);
  let controls: Controls | undefined;
  const findControls = () => {
    if (controls) return controls;
    throw new InvalidRequestError('The sandbox is not ready yet.');
  };
  const pages = express().use(CONTROLS_PATH, takeOrders(findControls)).use(answerErrors(silentLogger));
  let hoursAgo = SIGNED_UP_HOURS_AGO;
  const clock = { ...systemClock, now: () => systemClock.now().minus({ hours: hoursAgo }) };
  const sandbox = await startSandbox({ clock, draftHours: 0, port, pages });
  const renew = await signUpEve(sandbox);
  hoursAgo = FAILED_HOURS_AGO;
  await renew();
  hoursAgo = 0;
  controls = {
    shop: openShop(sandbox, systemClock.now(), FIRST_RENEWAL_SECONDS / 3_600),
    // What comes of it happens when the sandbox next looks.
    inTurn: async (act) => act(),
    narrate: ({ role }, what) => process.stdout.write(`${role.name}: ${what}\n`),
  };
  const timer = setInterval(() => void sandbox.run(), LOOK_EVERY_MS);
  stopOnSignal(async () => {
    clearInterval(timer);
    await sandbox.stop();
  });
  const there = portArgument(sandbox.url);
  process.stdout.write(`A simulated Stripe account, at ${sandbox.url}. Nothing is stored or charged.
In another terminal, in an empty folder:

  npx stripe-payment-retry init --yes --set STRIPE_SECRET_KEY=${sandbox.secretKey} STRIPE_API_BASE=${sandbox.url}
  npx stripe-payment-retry connect
  npx stripe-payment-retry start

and in a third terminal, in the same folder: npx stripe-payment-retry doctor
One customer's renewal failed two hours ago, which \`backfill\` reads. Another's fails in ${FIRST_RENEWAL_SECONDS} seconds: \`status\` and the console show what happens next.
To control other customers:

  npx stripe-payment-retry sandbox fail ben lost_card${there}
  npx stripe-payment-retry sandbox renew ben${there}
  npx stripe-payment-retry sandbox card ben${there}
  npx stripe-payment-retry sandbox cancel ben${there}
`);
}

/** Long enough ago that the same amount is no duplicate and a retry is allowed. */
const SIGNED_UP_HOURS_AGO = 12;
const FAILED_HOURS_AGO = 2;

/** A customer who is there before anybody listens. Gives what makes the renewal, whose first charge fails. */
async function signUpEve(sandbox: Sandbox): Promise<() => Promise<unknown>> {
  const { id: customer } = sandbox.createCustomer({
    name: 'Eve Adams',
    email: 'eve@example.com',
    paymentMethod: declinesTimes(1, 'try_again_later'),
  });
  const price = sandbox.createPrice({ unit_amount: 1900 });
  const { id } = sandbox.createSubscription({ customer, items: [{ price: price.id, quantity: 1 }] });
  await sandbox.run();
  return () => {
    sandbox.renewNow(id);
    return sandbox.run();
  };
}

const refusal = z.object({ message: z.string() });

async function send(port: number, order: Order): Promise<string> {
  const url = `http://127.0.0.1:${port}${CONTROLS_PATH}`;
  const body = new URLSearchParams(Object.entries(order).filter(([, value]) => value !== undefined));
  const answer = await fetch(url, { method: 'POST', body, headers: { accept: 'text/plain' } }).catch(
    (cause: unknown) => {
      throw nobodyThere(port, cause);
    },
  );
  const text = await answer.text();
  if (answer.ok) return text;
  const refused = answer.status === 400 ? refusal.safeParse(JSON.parse(text)).data : undefined;
  throw refused ? new InvalidRequestError(refused.message) : nobodyThere(port);
}

function nobodyThere(port: number, cause?: unknown): UpstreamError {
  return new UpstreamError(`No sandbox and no playground answers on port ${port}.`, {
    retryable: true,
    cause,
    help: 'Start one: npx stripe-payment-retry playground, or sandbox. --port names another port.',
  });
}

/** One for the sandbox and the playground, so that `sandbox fail` reaches either. */
const USUAL_PORT = 12_111;
export const portOption = z.object({ port: z.coerce.number().int().min(0).max(65_535).default(USUAL_PORT) });
export const BAD_PORT = '--port must be a whole number from 0 to 65535';

/** Throws LISTEN_FAILED before anything is begun. */
export function findPortFree(port: number): Promise<void> {
  return tryToListen({ host: '127.0.0.1', port, names: { port: '--port' } });
}

/** The port argument of a printed command that controls the sandbox at `url`. */
function portArgument(url: string): string {
  const { port } = new URL(url);
  return port === String(USUAL_PORT) ? '' : ` --port ${port}`;
}

/** Runs until it is stopped; keeps nothing. */
export async function runPlaygroundCommand(options: unknown): Promise<undefined> {
  const { port } = readOptions(portOption, options, BAD_PORT);
  await findPortFree(port);
  process.stdout.write('Opening the shop…\n');
  const opening = createPlayground({ port });
  let end = () => {};
  // From the beginning, so that nothing of it stays.
  stopOnSignal(async () => {
    end();
    await (await opening).stop();
    process.stdout.write('The shop is closed. Nothing was kept.\n');
  });
  const playground = await opening;
  end = runPlayground(playground, (error) => process.exit(reportFailure(error)));
  process.stdout.write(`
A simulated shop with the plugin, to play with in a browser:

  ${playground.url}

No account, no money: Stripe, the customers and their mailbox are in this process. Ctrl+C ends it.
To control it from another terminal: npx stripe-payment-retry sandbox next${portArgument(playground.url)}
`);
}
