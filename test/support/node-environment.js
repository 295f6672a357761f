/** The process of a worker, which test files run in one after the other: each leaves it as it was. */
import './no-settings.ts';
import './property-seed.ts';

// Jest's workers take their heap apart first, which can outlast the half second that jest gives them. Whatever a test
// leaves open still keeps them.
if (process.send) process.once('beforeExit', () => process.exit());

export default class NodeEnvironment {
  global = globalThis;
  /** Of jest's, none is used. */
  fakeTimers = null;
  fakeTimersModern = null;
  #before = { console, exit: process.exit, env: process.env, variables: { ...process.env } };

  async setup() {
    // Jest's own knows nothing of Node's source maps.
    delete Error.prepareStackTrace;
  }

  async teardown() {
    const { console, exit, env, variables } = this.#before;
    globalThis.console = console;
    process.exit = exit;
    process.env = env;
    for (const name of Object.keys(env)) if (!(name in variables)) delete env[name];
    Object.assign(env, variables);
  }

  /** No realm of its own. */
  getVmContext() {
    return null;
  }
}
