import type { ApiSide } from './api/answer-call.ts';
import { createFaultPlan, type FaultPlan } from './api/api-faults.ts';
import { createIdempotencyStore } from './api/idempotency-store.ts';
import { createRateLimiter, type RateLimits } from './api/rate-limits.ts';
import { noAccess } from './api-error.ts';
import type { ObjectOf } from './objects/wire.ts';
import { publish } from './publish-event.ts';
import { type Arrangements, arrangements } from './sandbox-arrangements.ts';
import { createWorld, type StripePolicy, type World, type WorldState } from './sandbox-world.ts';
import type { WebhookSecrets } from './webhooks/event-targets.ts';
import type { WebhookSender } from './webhooks/send-webhook.ts';
import {
  createWebhookDeliveries,
  type WebhookDeliveries,
  type WebhookFaults,
} from './webhooks/webhook-deliveries.ts';

export interface ConnectOptions extends Partial<StripePolicy> {
  accountName?: string;
  /** Without them calls are not counted: a simulated second may be long. */
  rateLimits?: RateLimits;
}

/** What of one account moves by itself. */
export interface AccountParts {
  readonly world: World;
  readonly deliveries: WebhookDeliveries;
}

/** A merchant's own account, connected to the platform. */
export interface ConnectedAccount extends Arrangements {
  readonly id: string;
  readonly state: WorldState;
  /** Of calls that are made for this account. */
  readonly faults: FaultPlan;
  readonly webhookFaults: WebhookFaults;
  /** The merchant takes the platform's access away: calls fail from now on, and events stay here. */
  deauthorize(): void;
  /** The merchant connects again. */
  authorize(): void;
}

export interface Connect {
  connectAccount(options?: ConnectOptions): ConnectedAccount;
  /** Who answers a call with this `Stripe-Account`. */
  sideOf(account: string | undefined): ApiSide;
  worlds(): readonly World[];
  parts(): readonly AccountParts[];
  stop(): void;
}

interface Connected extends AccountParts {
  readonly side: ApiSide;
  readonly faults: FaultPlan;
}

type Application = ObjectOf<'account.application.authorized'>;
const APPLICATION: Application = { id: 'ca_sandbox', object: 'application', name: 'Platform' };

interface ConnectDeps {
  readonly side: ApiSide;
  readonly seed: number;
  readonly send: WebhookSender;
  readonly secrets: WebhookSecrets;
}

export function createConnect(deps: ConnectDeps): Connect {
  const platform = deps.side;
  const accounts = new Map<string, Connected>();

  return {
    connectAccount: (options = {}) => {
      const connected = connect(deps, deps.seed + 1000 * (accounts.size + 1), options);
      const { world, faults, deliveries } = connected;
      accounts.set(world.account.id, connected);
      return {
        ...arrangements(world),
        id: world.account.id,
        state: world,
        faults,
        webhookFaults: deliveries.faults,
        deauthorize: () => {
          publish(world, 'account.application.deauthorized', APPLICATION);
          world.isRevoked = true;
        },
        authorize: () => {
          world.isRevoked = false;
          publish(world, 'account.application.authorized', APPLICATION);
        },
      };
    },
    sideOf: (account) => {
      if (account === undefined || account === platform.world.account.id) return platform;
      const connected = accounts.get(account);
      if (connected && !connected.world.isRevoked) return connected.side;
      return { ...platform, refusal: noAccess(account) };
    },
    worlds: () => [...accounts.values()].map(({ world }) => world),
    parts: () => [...accounts.values()],
    stop: () => {
      for (const { faults } of accounts.values()) faults.clear();
    },
  };
}

function connect(
  { side, send, secrets }: Omit<ConnectDeps, 'seed'>,
  seed: number,
  { accountName = 'Connected Inc.', rateLimits, ...policy }: ConnectOptions,
): Connected {
  const { clock } = side.world;
  const world = createWorld(clock, seed, accountName, policy, side.world);
  const faults = createFaultPlan();
  const idempotency = createIdempotencyStore(clock);
  return {
    world,
    faults,
    deliveries: createWebhookDeliveries(world, send, secrets),
    side: {
      ...{ ...side, world, faults, idempotency, locks: new Set<string>() },
      limit: createRateLimiter(clock, rateLimits),
    },
  };
}
