/** The process of a worker, which test files run in one after the other: each leaves it as it was. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { importCompiled } from './compiled-tests.js';
import { mapStacks } from './mapped-stacks.js';
import { startCoverage } from './v8-coverage.js';

// Jest's workers take their heap apart first, which can outlast the half second that jest gives them. Whatever a test
// leaves open still keeps them. One that is still connected when it ends is asked for its memory, in vain.
if (process.send)
  process.once('beforeExit', () => {
    process.once('disconnect', () => process.exit());
    process.disconnect();
  });

// As the program has it: Node 20 optimizes the embedded database's engine for longer than most suites have it open.
setFlagsFromString('--wasm-tiering-budget=500000000');

/** Before Node 24 each that was ever used makes every promise slower: in the suites after it in this worker, too. */
const storages = new Set();
for (const name of ['run', 'enterWith']) {
  const use = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...args) {
    storages.add(this);
    return use.apply(this, args);
  };
}

function endStorages() {
  for (const storage of storages) storage.disable();
  storages.clear();
}

const MOCKS =
  'fn spyOn mocked isMockFunction replaceProperty clearAllMocks resetAllMocks restoreAllMocks'.split(' ');
const TIMERS = Object.getOwnPropertyNames(ModernFakeTimers.prototype).filter(
  (name) => !/^(constructor|dispose|reset|_.*)$/.test(name),
);

/** Jest's runtime gives each test file a `jest`; ours lacks the functions that replace modules. */
function createJest(mocks, timers) {
  const bind = (of, names) => names.map((name) => [name, (...args) => of[name](...args)]);
  return Object.fromEntries([...bind(mocks, MOCKS), ...bind(timers, TIMERS)]);
}

const LOOK_MS = 20;
const MOST_LOOKS = 250;

export default class NodeEnvironment {
  global = globalThis;
  #path;
  #before = { console, exit: process.exit, env: process.env, variables: { ...process.env } };

  constructor({ projectConfig: config, globalConfig }, { testPath }) {
    if (globalConfig.collectCoverage) startCoverage();
    this.#path = testPath;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
    globalThis.jest = createJest(this.moduleMocker, this.fakeTimersModern);
  }

  async setup() {
    process.setSourceMapsEnabled(true);
    // Jest's own knows nothing of Node's source maps.
    mapStacks();
    await importCompiled('test/support/runner/property-seed.ts');
  }

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    const { console, exit, env, variables } = this.#before;
    globalThis.console = console;
    process.exit = exit;
    process.env = env;
    for (const name of Object.keys(env)) if (!(name in variables)) delete env[name];
    Object.assign(env, variables);
    await this.#expectNoServer();
    endStorages();
  }

  /** The suites after it in this worker would pay for it. A socket is listed for a moment after it was closed. */
  async #expectNoServer() {
    const isOpen = () => process.getActiveResourcesInfo().includes('TCPServerWrap');
    for (let look = 0; isOpen() && look < MOST_LOOKS; look += 1) await setTimeout(LOOK_MS);
    if (isOpen()) throw new Error(`${this.#path} or a suite before it left a server open.`);
  }

  /** No realm of its own. */
  getVmContext() {
    return null;
  }
}
