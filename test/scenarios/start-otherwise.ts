/** The plugin starts again with other settings, which costs less than another world. */
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { SERVICE_KEY } from '../support/http/recording-service.ts';
import { CONTRACT_ALONE, type World } from '../support/world.ts';

/** When emails may go out, as where a world begins. */
const BEGINS_AT = 10;

/** Of a world that was created with `settings` as those of its plugin. As a new one, it is empty and begins on a morning. */
export async function startOtherwise(world: World, settings: OwnOptions, others: OwnOptions): Promise<void> {
  for (const name of Object.keys(settings)) Reflect.deleteProperty(settings, name);
  Object.assign(settings, others);
  await world.abandon().stop();
  await world.restart();
  // What a start looks for would be forgotten.
  await world.reset();
  const now = world.clock.now();
  const morning = now.startOf('day').plus({ hours: BEGINS_AT });
  await world.clock.set(morning < now ? morning.plus({ days: 1 }) : morning);
}

/** In a world that was created without one: what its option `isRemote` sets. */
export const toRemote = ({ service }: World): OwnOptions => ({
  retryServiceUrl: service.url,
  retryServiceApiKey: SERVICE_KEY,
  ...CONTRACT_ALONE,
});

/** In a world with a remote service: the embedded one. */
export const EMBEDDED: OwnOptions = {
  retryServiceUrl: undefined,
  retryServiceApiKey: undefined,
  forwardInvoices: undefined,
  forwardTransactions: undefined,
};
