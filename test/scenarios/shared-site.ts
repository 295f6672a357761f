/** Several real processes on one PostgreSQL, in real time: Stripe and the service in this process, a balancer between. */
import { setTimeout } from 'node:timers/promises';
import type { DurationLike } from 'luxon';
import { type Clock, systemClock } from '../../src/core/base/clock.ts';
import type { Database } from '../../src/core/database/database.ts';
import { openDatabase } from '../../src/core/database/open-database.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { type Sandbox, startSandbox } from '../../src/workbench/sandbox/sandbox.ts';
import type { Engine } from '../support/database/databases.ts';
import { eventually } from '../support/eventually.ts';
import {
  type RecordingService,
  SERVICE_KEY,
  startRecordingService,
} from '../support/http/recording-service.ts';
import { type Balancer, startBalancer } from '../support/process/balancer.ts';
import { type ServerProcess, startServerProcess } from '../support/process/server-process.ts';
import { CALLBACK_TOKEN, LINK_SECRET } from '../support/world.ts';
import { RESTS } from './chaos/violations.ts';

export interface SharedSite {
  readonly sandbox: Sandbox;
  readonly service: RecordingService;
  readonly database: Database;
  readonly processes: ServerProcess[];
  /** Of every process. */
  readonly settings: Readonly<Record<string, string>>;
  /** Starts so many more at once. */
  start(count: number): Promise<void>;
  /** `kill -9`, noticed by the balancer when it next asks there. */
  kill(process: ServerProcess): Promise<void>;
  /** Hands out SIGTERM and returns the exit code. */
  terminate(process: ServerProcess): Promise<number | null>;
  /** A subscription whose renewal failed so long ago that the networks allow another attempt. Gives the invoice's id. */
  failedRenewal(): { subscriptionId: string; invoiceId: string };
  /** The service asks to pay an invoice now; resolves when that is acknowledged. */
  instruct(invoiceId: string): Promise<void>;
  /** The same under a name of its own, for an invoice that is asked for several times. */
  instructAs(requestId: string, invoiceId: string): Promise<void>;
  /**
   * Everything asked was carried out, and everything changed was delivered; what was refused, Stripe sends again at once. Where it
   * `mayWait`, an action that a rule holds back for an hour or longer is left to its time.
   */
  untilDone(withinMs: number, options?: { mayWait: boolean }): Promise<void>;
  stop(): Promise<void>;
}

const PUMP_MS = 25;
const PAST_THE_LIMITS = { hours: -26 };
const BEFORE_THAT = { hours: -27 };
/** Stripe's first three times to send again are no further off; all else that it does by itself is. */
const REDELIVERY = { minutes: 31 };

export interface SiteOptions {
  /** Of every process, beside or in place of the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Webhooks that Stripe sends at the same time. */
  readonly concurrency?: number;
}

export async function createSharedSite(
  { create }: Pick<Engine, 'create'>,
  options: SiteOptions = {},
): Promise<SharedSite> {
  let ahead: DurationLike = {};
  let moved: DurationLike = {};
  const clock: Clock = { ...systemClock, now: () => systemClock.now().plus(moved) };
  const sandbox = await startSandbox({ clock });
  const service = await startRecordingService(systemClock);
  const place = await create();
  if (place.location.kind !== 'postgres') throw new Error('Several processes need PostgreSQL.');
  const database = await openDatabase(place.location);
  const balancer = await startBalancer();
  // Before there is an endpoint: its events go to nobody.
  const price = sandbox.createPrice();
  const untold = new Set([...sandbox.state.events.newestFirst()].map(({ id }) => id));
  sandbox.addWebhookEndpoint(`${balancer.url}/webhooks/stripe`);
  const processes: ServerProcess[] = [];
  const settings = {
    DATABASE_URL: place.location.url,
    RETRY_MODE: 'advisory',
    STRIPE_SECRET_KEY: sandbox.secretKey,
    STRIPE_WEBHOOK_SECRET: sandbox.webhookSecret,
    STRIPE_API_BASE: sandbox.url,
    RETRY_SERVICE_URL: service.url,
    RETRY_SERVICE_API_KEY: SERVICE_KEY,
    RECOVERY_CALLBACK_TOKEN: CALLBACK_TOKEN,
    PUBLIC_URL: balancer.url,
    LINK_SECRET,
    LOG_LEVEL: 'info',
    ...options.settings,
  };
  const pump = startPump(sandbox, options.concurrency);
  const leave = (gone: ServerProcess) => {
    processes.splice(processes.indexOf(gone), 1);
    balancer.ports.splice(balancer.ports.indexOf(gone.port), 1);
  };

  return {
    sandbox,
    service,
    database,
    processes,
    settings,
    start: async (count) => {
      const started = await Promise.all(Array.from({ length: count }, () => startServerProcess(settings)));
      processes.push(...started);
      balancer.ports.push(...started.map(({ port }) => port));
    },
    kill: async (target) => {
      await target.kill();
      leave(target);
    },
    terminate: async (target) => {
      const code = await target.terminate();
      leave(target);
      return code;
    },
    failedRenewal: () => {
      try {
        const fingerprint = `card${sandbox.state.customers.size}`;
        const paymentMethod = declinesTimes(1, 'insufficient_funds', {}, { fingerprint });
        // A card that was given in the same second could be one that was given because the payment failed.
        moved = BEFORE_THAT;
        const customer = sandbox.createCustomer({ email: 'jo@example.com', paymentMethod }).id;
        moved = PAST_THE_LIMITS;
        const subscriptionId = sandbox.createSubscription({ customer, items: [{ price: price.id }] }).id;
        return { subscriptionId, invoiceId: sandbox.renewNow(subscriptionId).id };
      } finally {
        moved = ahead;
      }
    },
    instruct: (invoiceId) => askToPay(balancer, { invoiceId, requestId: `request for ${invoiceId}` }),
    instructAs: (requestId, invoiceId) => askToPay(balancer, { invoiceId, requestId }),
    untilDone: (withinMs, { mayWait } = { mayWait: false }) =>
      eventually(async () => {
        const soon = sandbox.nextDueAt();
        if (soon && soon < clock.now().plus(REDELIVERY)) ahead = soon.diff(systemClock.now());
        moved = ahead;
        const undone = await findUndone({ sandbox, service, database, untold, mayWait });
        if (undone.length > 0) throw new Error(`Not done yet: ${JSON.stringify(undone.slice(0, 20))}`);
      }, withinMs),
    stop: async () => {
      await pump.stop();
      await Promise.all([...processes].map((one) => one.kill()));
      await Promise.all([sandbox.stop(), service.stop(), balancer.stop(), database.close()]);
      await place.remove();
    },
  };
}

/** Stripe's own work, which the sandbox does only when it is asked to. */
function startPump(sandbox: Sandbox, concurrency = 5) {
  let isOver = false;
  const running = (async () => {
    while (!isOver) {
      await sandbox.run({ concurrency });
      await setTimeout(PUMP_MS);
    }
  })();
  return {
    stop: () => {
      isOver = true;
      return running;
    },
  };
}

/** On a busy machine all processes of a site may be starting for minutes. */
const SERVICE_PATIENCE_MS = 600_000;

/** Again until it is acknowledged, as services do. */
async function askToPay(
  { url }: Balancer,
  instruction: { invoiceId: string; requestId: string },
): Promise<void> {
  await eventually(async () => {
    const response = await fetch(`${url}/recovery_action`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CALLBACK_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...instruction,
        actionSuggestion: 'ACTION_SUGGESTION_RETRY',
        idealRetryTime: systemClock.now().toISO(),
      }),
    });
    await response.body?.cancel();
    if (response.status !== 200) throw new Error(`The instruction was answered ${response.status}.`);
  }, SERVICE_PATIENCE_MS);
}

interface Whole extends Pick<SharedSite, 'sandbox' | 'service' | 'database'> {
  /** Events from before there was an endpoint. */
  readonly untold: ReadonlySet<string>;
  readonly mayWait: boolean;
}

async function findUndone({
  sandbox,
  service,
  database,
  untold,
  mayWait,
}: Whole): Promise<readonly unknown[]> {
  const waiting = await database.query(
    `select 'action' as what, id::text, state, reason::text from payment_retry.actions
     where state = 'running' or state = 'scheduled' and coalesce(reason->>'code', '') <> all($1::text[])
     union all
     select 'attempt', id::text, invoice_id, null from payment_retry.attempts where outcome is null
     union all
     select 'instruction', request_id, state, reason::text from payment_retry.instructions where handled_at is null
     union all
     select 'event', id, type, error::text from payment_retry.events where processed_at is null
     union all
     select 'subscription', id, status, null from payment_retry.subscriptions
     where version is distinct from delivered_version
     limit 20`,
    [mayWait ? RESTS : []],
  );
  if (waiting.length > 0) return waiting;
  const known = await database.query<{ id: string }>('select id from payment_retry.events');
  const missing = new Set([...sandbox.state.events.newestFirst()].map(({ id }) => id));
  for (const id of [...untold, ...known.map((event) => event.id)]) missing.delete(id);
  const refused = sandbox.state.deliveries.filter(({ eventId }) => missing.has(eventId));
  if (missing.size > 0) return [...missing, ...refused];
  return [...sandbox.state.subscriptions.newestFirst()]
    .map(({ id }) => id)
    .filter((id) => !service.view.has(id));
}
