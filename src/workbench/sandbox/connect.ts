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
  /** When absent, calls are not counted: a simulated second may be long. */
  rateLimits?: RateLimits;
}

/** The parts of one account that act on their own. */
export interface AccountParts {
  readonly world: World;
  readonly deliveries: WebhookDeliveries;
}

/** A merchant's own account, connected to the platform. */
export interface ConnectedAccount extends Arrangements {
  readonly id: string;
  readonly state: WorldState;
  /** Faults of calls made for this account. */
  readonly faults: FaultPlan;
  readonly webhookFaults: WebhookFaults;
  /** The merchant takes the platform's access away: calls fail from now on, and events stay here. */
  deauthorize(): void;
  /** The merchant connects again. */
  authorize(): void;
}

interface OpenAccount extends AccountParts {
  readonly side: ApiSide;
  readonly faults: FaultPlan;
}

/** What all accounts behind one server share. */
interface Shared {
  readonly secretKey: string;
  readonly send: WebhookSender;
  readonly secrets: WebhookSecrets;
}

/** An account with its two sides: calls come in, webhooks go out. */
export function openAccount(
  world: World,
  { secretKey, send, secrets }: Shared,
  rateLimits: RateLimits | undefined,
): OpenAccount {
  const { clock } = world;
  const faults = createFaultPlan();
  const idempotency = createIdempotencyStore(clock);
  const limit = createRateLimiter(clock, rateLimits);
  return {
    world,
    faults,
    deliveries: createWebhookDeliveries(world, send, secrets),
    side: { world, secretKey, faults, limit, idempotency, locks: new Set() },
  };
}

type Application = ObjectOf<'account.application.authorized'>;
const APPLICATION: Application = { id: 'ca_sandbox', object: 'application', name: 'Platform' };

export function createConnect(platform: ApiSide, seed: number, shared: Shared) {
  const accounts = new Map<string, OpenAccount>();

  return {
    connectAccount: ({
      accountName = 'Connected Inc.',
      rateLimits,
      ...policy
    }: ConnectOptions = {}): ConnectedAccount => {
      const ownSeed = seed + 1000 * (accounts.size + 1);
      const world = createWorld(platform.world.clock, ownSeed, accountName, policy, platform.world);
      const account = openAccount(world, shared, rateLimits);
      const { faults, deliveries } = account;
      accounts.set(world.account.id, account);
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
    /** Who answers a call with this `Stripe-Account`. */
    sideOf: (account: string | undefined): ApiSide => {
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
