/**
 * Test files, and what they import, as Node loads them: every module once in each worker, in the one realm of its process.
 * Jest's own runtime gives each file a realm and modules of its own, which was half of a run. It is not missed: modules keep
 * nothing that changes (`architecture.test.ts`), and nothing is mocked.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);

/** What jest asks its runtime for. */
export default class NodeRuntime {
  /** Jest's functions (`test`, `describe` …), which hold the tests of one file and listen to their events. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  requireModule(path) {
    return require(path);
  }

  /** tsx tells Node. */
  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {}
  setGlobalsForRuntime() {}
  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}
}
