/**
 * Stryker's runner of the suites that need no database. They are compiled and loaded once: a mutant is switched on, and the tests that
 * reached it are played. What a module makes at its import is made anew from a copy of all modules, with the fault in it.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { jestExpect } from '@jest/expect';
import circus, { addEventHandler, getState, resetState, run } from 'jest-circus';

const SUITES = [
  /^test\/core\/declines\//,
  /^test\/plugin\/retry\/guards\/(?!guard-audit)/,
  /^test\/plugin\/sync\/map\//,
  // Without those that draw or learn thousands of times: a mutant that they play takes seconds, and the tables beside them notice it.
  /^test\/service\/policy\/(?!properties|guards-agree|timing\/own-mornings)/,
  /^test\/plugin\/operator\/figures\/overview-figures\./,
  /^test\/plugin\/emails\/format-money\./,
  /^test\/workbench\/assess\/assessment\./,
];

/** Modules that keep what they made: one of a fault would be there for the next. */
const CACHES = [
  'src/plugin/mails/format-money.ts',
  'src/service/policy/timing/own-mornings.ts',
  'src/service/policy/classify-decline.ts',
  'src/service/policy/timing/explanations.ts',
];

const PASSED = 0;
const FAILED = 1;
const SKIPPED = 2;
const NOTHING = /$^/;
const idOf = (suite, name) => `${suite}: ${name}`;

/** What the mutants look at. */
globalThis.__stryker__ ??= {};
const stryker = globalThis.__stryker__;

class PureSuites {
  #folder = mkdtempSync(join(tmpdir(), 'payment-retry-stryker-'));
  #plays = 0;
  #suites;
  #suite;
  #isFirstFailureEnough = false;

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    process.once('exit', () => rmSync(this.#folder, { recursive: true, force: true }));
    this.#suites = readdirSync('test', { recursive: true })
      .filter((path) => path.endsWith('.test.ts'))
      .map((path) => join('test', path))
      .filter((path) => SUITES.some((pattern) => pattern.test(path)));
    const { compileTests } = await import(
      pathToFileURL(resolve('test/support/runner/compiled-tests.js')).href
    );
    const paths = new Set(this.#suites.map((path) => resolve(path)));
    await compileTests((path) => paths.has(path));
    const compiled = join(this.#folder, 'compiled');
    cpSync(process.env.COMPILED_TESTS, compiled, { recursive: true });
    symlinkSync(resolve('node_modules'), join(compiled, 'node_modules'), 'dir');
    await this.#load('compiled', 'test/support/runner/property-seed.ts');
    Object.assign(globalThis, circus, { expect: jestExpect });
    addEventHandler((event) => this.#follow(event));
  }

  async dryRun() {
    const tests = [];
    const took = new Map();
    for (const suite of this.#suites) {
      const results = await this.#play('compiled', suite);
      took.set(suite, Math.max(...results.map(({ timeSpentMs }) => timeSpentMs)));
      tests.push(...results);
    }
    this.#suites.sort((one, other) => took.get(one) - took.get(other));
    return { status: 'complete', tests, mutantCoverage: stryker.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, reloadEnvironment, disableBail }) {
    this.#isFirstFailureEnough = !disableBail;
    Object.assign(stryker, { activeMutant: activeMutant.id, hitLimit, hitCount: hitLimit && 0 });
    const isFresh = reloadEnvironment || CACHES.some((path) => activeMutant.fileName.endsWith(path));
    const copy = isFresh ? this.#copy() : 'compiled';
    try {
      return await this.#judge(copy, testFilter && new Set(testFilter));
    } finally {
      Object.assign(stryker, { activeMutant: undefined, hitLimit: undefined, hitCount: undefined });
      if (isFresh) rmSync(join(this.#folder, copy), { recursive: true, force: true });
    }
  }

  async #judge(copy, chosen) {
    let nrOfTests = 0;
    for (const suite of this.#suites) {
      const names = chosen && [...chosen].filter((id) => id.startsWith(idOf(suite, '')));
      if (names?.length === 0) continue;
      const results = await this.#play(copy, suite, chosen).catch((error) => [failed(suite, error)]);
      nrOfTests += results.filter(({ status }) => status !== SKIPPED).length;
      if (stryker.hitCount > stryker.hitLimit) return { status: 'timeout' };
      const failures = results.filter(({ status }) => status === FAILED);
      if (failures.length === 0) continue;
      const [{ failureMessage }] = failures;
      return { status: 'killed', killedBy: failures.map(({ id }) => id), failureMessage, nrOfTests };
    }
    return { status: 'survived', nrOfTests };
  }

  async #play(copy, suite, chosen) {
    resetState();
    this.#suite = suite;
    const state = getState();
    state.testTimeout = 600_000;
    if (chosen) state.testNamePattern = { test: (name) => chosen.has(idOf(suite, name)) };
    this.#plays += 1;
    await this.#load(copy, suite, `?play=${this.#plays}`);
    const { testResults } = await run();
    return testResults.map(({ testPath, status, errors, duration }) => {
      const name = testPath.slice(1).join(' ');
      const fileName = resolve(suite);
      const result = { id: idOf(suite, name), name, fileName, timeSpentMs: duration ?? 0 };
      if (errors.length > 0) return { ...result, status: FAILED, failureMessage: errors.join('\n') };
      return { ...result, status: status === 'done' ? PASSED : SKIPPED };
    });
  }

  #follow({ name, test }) {
    if (name === 'test_start') stryker.currentTestId = idOf(this.#suite, nameOf(test));
    if (name === 'test_done') stryker.currentTestId = undefined;
    if (name === 'test_fn_failure' && this.#isFirstFailureEnough) getState().testNamePattern = NOTHING;
  }

  #load(copy, path, query = '') {
    return import(`${pathToFileURL(join(this.#folder, copy, path.replace(/\.ts$/, '.js'))).href}${query}`);
  }

  #copy() {
    const name = String(this.#plays);
    cpSync(join(this.#folder, 'compiled'), join(this.#folder, name), {
      recursive: true,
      verbatimSymlinks: true,
    });
    return name;
  }
}

const nameOf = ({ name, parent }) =>
  parent ? `${nameOf(parent)} ${name}`.replace(/^ROOT_DESCRIBE_BLOCK /, '') : name;

const failed = (suite, error) => ({
  id: idOf(suite, ''),
  status: FAILED,
  failureMessage: String(error?.stack ?? error),
});

export const strykerPlugins = [{ kind: 'TestRunner', name: 'pure-suites', injectableClass: PureSuites }];
