/** The plugin starts again with other settings, which costs less than another world. */
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import type { World } from '../support/world.ts';

/** Of a world that was created with `settings` as those of its plugin. */
export async function startOtherwise(world: World, settings: OwnOptions, others: OwnOptions): Promise<void> {
  for (const name of Object.keys(settings)) Reflect.deleteProperty(settings, name);
  Object.assign(settings, others);
  await world.abandon().stop();
  await world.restart();
}
