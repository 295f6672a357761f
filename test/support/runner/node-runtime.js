/**
 * Replaces jest's runtime: Node loads the compiled tests and their imports, each module once per worker, in the worker's one realm.
 * Jest's own loads each module again for each test file: the 47 suites of `npm run test:plain` take 55 s of CPU with it and 23 s with
 * this. `jest.mock` is lost, and a copy of each module per file; modules keep no state (`architecture.test.ts`).
 */
import { createRequire } from 'node:module';
import { importCompiled } from './compiled-tests.js';
import { takeCoverage } from './v8-coverage.js';

const require = createRequire(import.meta.url);
const hooks = require('node:async_hooks');
const imported = new Map();

/**
 * Jest keeps which test runs in an `AsyncLocalStorage`, for tests that run at the same time. Ours run one after the other, and
 * before Node 24 one that is in use makes every promise of the process slower.
 */
class OneTask {
  #store;

  getStore() {
    return this.#store;
  }

  async run(store, work) {
    const before = this.#store;
    this.#store = store;
    try {
      return await work();
    } finally {
      this.#store = before;
    }
  }
}

export default class NodeRuntime {
  /** Jest's functions (`test`, `describe` …), which hold the tests of one file and listen to their events. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    const { AsyncLocalStorage } = hooks;
    hooks.AsyncLocalStorage = OneTask;
    try {
      return require(path);
    } finally {
      hooks.AsyncLocalStorage = AsyncLocalStorage;
    }
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** In watch mode a process runs a suite several times. */
  unstable_importModule(path) {
    const times = imported.get(path) ?? 0;
    imported.set(path, times + 1);
    return importCompiled(path, times);
  }

  requireModule(path) {
    return require(path);
  }

  /** Node reads them itself: see `node-environment.js`. */
  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {
    return takeCoverage();
  }

  setGlobalsForRuntime() {}
  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}
}
