import { Duration } from 'luxon';
import { z } from 'zod';
import { systemClock } from '../../../src/core/base/clock.ts';
import { readOptions } from '../../../src/core/base/command-options.ts';
import { UsageError } from '../../../src/core/base/errors.ts';
import { type Write, writeToTerminal } from '../../../src/plugin/operator/text/command-result.ts';
import { type Check, reportChecks } from '../../../src/workbench/check-service/check-report.ts';
import {
  accepts,
  declinesTimes,
  type PaymentMethodBehaviour,
} from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { createRandom } from '../../../src/workbench/sandbox/random.ts';
import { type Movable, moveTo, settle } from '../../../src/workbench/testing/move-time.ts';
import { type OwnTestWorld, openTestWorld } from '../../../src/workbench/testing/test-world.ts';
import { REQUEST_CHECKS } from '../service/contract-departures.ts';
import { type Callback, callbackChecksOfClients } from './callback-ways.ts';
import type { ClientUnderTest, FailedInvoice, Stage } from './client-under-test.ts';
import { deliveryChecks } from './delivery-ways.ts';
import { LISTING_CHECKS_OF_CLIENTS } from './listing-ways.ts';
import { createToldClient } from './told-client.ts';
import { startTwin } from './twin-service.ts';

const KEY = 'key_of_the_twin';
const TOKEN = 'token_with_which_the_twin_calls_back';
const SECOND = 1000;

const optionsSchema = z.object({
  listen: z.coerce.number().int().min(0).max(65_535).optional(),
  callback: z.url().optional(),
  token: z.string().min(1).optional(),
  wait: z.coerce.number().int().min(1).max(3600).default(60),
  seed: z.coerce.number().int().default(1),
  only: z.string().optional(),
  junit: z.string().min(1).optional(),
});
type Options = z.infer<typeof optionsSchema>;

/** Exit code 1 where the client breaks the contract. */
export async function runCheckPlugin(given: unknown, write: Write = writeToTerminal): Promise<number> {
  const options = readOptions(
    optionsSchema,
    given,
    '--listen is a port, --callback an address, --seed a whole number, and --wait seconds from 1 to 3600',
  );
  if ((options.callback === undefined) !== (options.token === undefined))
    throw new UsageError(['--callback and --token belong together: where the client takes instructions']);
  if (options.callback !== undefined && options.listen === undefined)
    throw new UsageError(['--callback and --token are for a client of yours: give --listen, too']);
  const { stage, callback, close } =
    options.listen === undefined ? await openOwnStage(options.seed) : await openToldStage(options, write);
  try {
    const checks = clientChecks(callback).filter(({ about, title }) =>
      `${about}: ${title}`.includes(options.only ?? ''),
    );
    const told = { checked: 'plugin', junit: options.junit, write } as const;
    const code = await reportChecks(stage, checks, told);
    if (!callback) write('Callbacks were not looked at: --callback and --token do that.\n');
    return code;
  } finally {
    await close();
  }
}

export const clientChecks = (callback: Callback | undefined): readonly Check<Stage>[] => [
  ...deliveryChecks(),
  ...LISTING_CHECKS_OF_CLIENTS,
  ...(callback ? callbackChecksOfClients(callback) : []),
  ...requestChecks(),
];

/** These look back on all requests of the ways before them. */
const requestChecks = (): Check<Stage>[] =>
  REQUEST_CHECKS.map(({ title, of, find }) => ({
    about: 'Requests',
    title,
    of,
    level: 'must',
    run: async ({ twin }) => twin.asked.flatMap((asked) => find(asked, KEY))[0],
  }));

interface OpenStage {
  readonly stage: Stage;
  readonly callback: Callback | undefined;
  close(): Promise<void>;
}

/** A client of somebody else, in real time. */
async function openToldStage(
  { listen: port = 0, callback, token, wait: seconds, seed }: Options,
  write: Write,
): Promise<OpenStage> {
  const { client, answer } = createToldClient({
    longestMs: seconds * SECOND,
    quietMs: Math.min(3, seconds) * SECOND,
  });
  const twin = await startTwin({ key: KEY, port, now: client.now, beside: answer });
  const { uniform } = createRandom(seed);
  write(`The service is at ${twin.url}, and its key is ${KEY}. It waits for your client:
- GET ${twin.url}/check/changes tells what changes, with the same key. Ask at least every second, and let the client send it.
- The client sends to ${twin.url}/ingest/v1/subscriptions and reads ${twin.url}/v1/recovery_actions, as the contract has it.
- POST ${twin.url}/check/carried-out with {"invoiceId": "…"} whenever it has carried out an instruction for an invoice.
`);
  return {
    stage: { twin, client, uniform },
    callback:
      callback === undefined || token === undefined ? undefined : { url: callback.replace(/\/$/, ''), token },
    close: twin.close,
  };
}

/** This package's plugin, with Stripe's sandbox, on a clock that moves as it is needed. */
export async function openOwnStage(seed: number, place: { dataDir?: string } = {}): Promise<OpenStage> {
  let movable: Movable | undefined;
  const now = () => (movable?.clock ?? systemClock).now();
  const twin = await startTwin({ key: KEY, now });
  const opened = await openTestWorld({
    plugin: {
      retryMode: 'advisory',
      retryServiceUrl: twin.url,
      retryServiceApiKey: KEY,
      recoveryCallbackToken: TOKEN,
      // What it is offered beyond the contract has tests of its own.
      forwardInvoices: false,
      forwardTransactions: false,
      ...place,
    },
  }).catch(async (error: unknown) => {
    await twin.close();
    throw error;
  });
  movable = opened.movable;
  const { world } = opened;
  const { uniform } = createRandom(seed);
  return {
    stage: { twin, client: toClient(world, opened.movable), uniform },
    callback: { url: `${world.url}/payment-retry`, token: TOKEN },
    close: async () => {
      await world.stop();
      await twin.close();
    },
  };
}

const LISTED_EVERY = 5;
const LONGEST_MINUTES = 40;
const QUIET_MINUTES = 10;
const FAILED_AT_ONCE = 10;

function toClient({ sandbox, plugin }: OwnTestWorld, movable: Movable): ClientUnderTest {
  const { clock } = movable;
  /** A simulated clock starts nothing by itself; the list is read every five minutes. */
  const pass = async (minutes: number, isEnough = () => false) => {
    for (let passed = 0; passed < minutes && !isEnough(); passed += LISTED_EVERY) {
      await plugin.parts.requestActionsSync();
      const next = clock.now().plus({ minutes: LISTED_EVERY });
      await moveTo(movable, next, { run: () => settle(movable), isEnough });
    }
  };
  const failed: FailedInvoice[] = [];
  let made = 0;
  const subscribe = (paymentMethod: PaymentMethodBehaviour, metadata: Record<string, string>) => {
    const { id: customer } = sandbox.createCustomer({ paymentMethod });
    const { id: price } = sandbox.createPrice();
    return sandbox.createSubscription({ customer, items: [{ price }], metadata }).id;
  };
  /** They rest for a day, as cards must; nobody is awake meanwhile. */
  const failMany = async (): Promise<FailedInvoice[]> => {
    // Each has a card of its own: the limits of one hold for all its customers.
    const ids = Array.from({ length: FAILED_AT_ONCE }, () => {
      made += 1;
      return subscribe(declinesTimes(1, 'insufficient_funds', {}, { fingerprint: `card_${made}` }), {});
    });
    await settle(movable);
    const many = ids.map((id) => ({ invoiceId: sandbox.renewNow(id).id, subscriptionId: id }));
    await settle(movable);
    await clock.set(clock.now().plus({ hours: 25 }));
    await settle(movable);
    return many;
  };
  return {
    now: () => clock.now(),
    change: async (mark, id) => {
      const metadata = { business_entity: mark };
      if (id !== undefined) return sandbox.updateSubscription(id, { metadata }).id;
      return subscribe(accepts(), metadata);
    },
    failInvoice: async () => {
      if (failed.length === 0) failed.push(...(await failMany()));
      const next = failed.pop();
      if (!next) throw new Error('No invoice failed.');
      return next;
    },
    timesCarriedOut: (invoiceId) => {
      const path = `/v1/invoices/${invoiceId}/pay`;
      return sandbox.state.apiCalls.filter((call) => call.path === path && !call.replayed).length;
    },
    until: async (isSo) => {
      await pass(LONGEST_MINUTES, isSo);
      return isSo();
    },
    stayQuiet: () => pass(QUIET_MINUTES),
    soon: Duration.fromObject({ minutes: 3 }),
  };
}
