/** One or more real plugin processes on one database and one simulated clock, to be killed and started again. */
import type { DateTime } from 'luxon';
import type { Clock } from '../../../src/core/base/clock.ts';
import type { Sandbox } from '../../../src/workbench/sandbox/sandbox.ts';
import { type TestLocation, variablesOf } from '../database/databases.ts';
import { SERVICE_KEY } from '../http/recording-service.ts';
import { CALLBACK_TOKEN, LINK_SECRET } from '../world.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type PluginChild, startPluginChild } from './plugin-child.ts';

export interface PluginFleet {
  /** Where Stripe and the service reach whoever is there. */
  readonly url: string;
  readonly children: readonly PluginChild[];
  /** Of every process. */
  readonly settings: Readonly<Record<string, string>>;
  start(): Promise<PluginChild>;
  /** `kill -9`. */
  kill(child: PluginChild): Promise<void>;
  setClock(now: DateTime): Promise<void>;
  /** All of them at once do what is due. Gives the number of jobs. */
  run(): Promise<number>;
  /** Posts to the callback address; gives the status, 502 if nobody is there. */
  instruct(instruction: object): Promise<number>;
  stop(): Promise<void>;
}

export interface FleetOptions {
  readonly clock: Clock;
  readonly sandbox: Sandbox;
  readonly serviceUrl: string;
  readonly place: TestLocation;
  /** Beside the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
}

export async function createPluginFleet(options: FleetOptions): Promise<PluginFleet> {
  const { clock, sandbox, serviceUrl, place } = options;
  const balancer = await startBalancer();
  const children: PluginChild[] = [];
  const { location } = place;
  const settings = {
    RETRY_MODE: 'advisory',
    STRIPE_SECRET_KEY: sandbox.secretKey,
    STRIPE_WEBHOOK_SECRET: sandbox.webhookSecret,
    STRIPE_API_BASE: sandbox.url,
    RETRY_SERVICE_URL: serviceUrl,
    RETRY_SERVICE_API_KEY: SERVICE_KEY,
    RECOVERY_CALLBACK_TOKEN: CALLBACK_TOKEN,
    PUBLIC_URL: balancer.url,
    LINK_SECRET,
    LOG_LEVEL: 'error',
    ...variablesOf(location),
    ...options.settings,
  };
  const leave = (child: PluginChild) => {
    children.splice(children.indexOf(child), 1);
    balancer.ports.splice(balancer.ports.indexOf(child.port), 1);
  };

  return {
    url: balancer.url,
    children,
    settings,
    start: async () => {
      const child = await startPluginChild(settings, clock.now());
      children.push(child);
      balancer.ports.push(child.port);
      return child;
    },
    kill: async (child) => {
      await child.kill();
      leave(child);
    },
    setClock: async (now) => {
      for (const child of children) await child.setClock(now);
    },
    run: async () => {
      const counts = await Promise.all([...children].map((child) => child.run()));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    instruct: (instruction) => post(balancer, instruction),
    stop: async () => {
      for (const child of [...children]) await child.kill();
      await balancer.stop();
    },
  };
}

async function post({ url }: Balancer, instruction: object): Promise<number> {
  const response = await fetch(`${url}/recovery_action`, {
    method: 'POST',
    headers: { authorization: `Bearer ${CALLBACK_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(instruction),
  });
  await response.body?.cancel();
  return response.status;
}
