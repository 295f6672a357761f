/**
 * Test files, and what they import, as Node loads them: every module once in each worker, in the one realm of its process.
 * Jest's own runtime gives each file a realm and modules of its own, which took half a second and more for each. It is not
 * missed: modules keep nothing that changes (`architecture.test.ts`), and nothing is mocked.
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

/** What jest asks its runtime for. */
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
