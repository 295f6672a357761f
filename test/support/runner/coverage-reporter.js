/**
 * Hands V8's counts of the whole run to jest's own report, together with the last suite's result. They are converted to Istanbul's
 * statements, branches and functions, and include functions without a call and files that no test loads.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** How many suites' counts are added at a time. */
const PART = 20;

export default class CoverageReporter {
  #options;
  #counts = [];
  #suites = 0;

  constructor(globalConfig) {
    this.#options = globalConfig;
  }

  async onTestFileResult({ context }, testResult, { numTotalTestSuites, numFailedTests }) {
    const { collectCoverage, bail } = this.#options;
    if (!collectCoverage) return;
    this.#counts.push({ result: testResult.coverage?.v8 ?? [] });
    testResult.coverage = undefined;
    this.#suites += 1;
    const isLast = this.#suites === numTotalTestSuites || (bail > 0 && numFailedTests >= bail);
    if (isLast || this.#counts.length === PART) {
      const { mergeProcessCovs } = await import('@bcoe/v8-coverage');
      this.#counts = [mergeProcessCovs(this.#counts)];
    }
    if (isLast) testResult.coverage = await this.#countSources(context);
  }

  async #countSources({ config, hasteFS }) {
    const [{ convert }, { parse }, { shouldInstrument }, { default: istanbul }] = await Promise.all([
      import('ast-v8-to-istanbul'),
      import('acorn'),
      import('@jest/transform'),
      import('istanbul-lib-coverage'),
    ]);
    const counted = new Map(this.#counts[0].result.map((script) => [script.url, script]));
    const sources = istanbul.createCoverageMap();
    for (const { url, code, sourceMap } of readScripts(process.env.COMPILED_TESTS)) {
      const coverage = counted.get(url) ?? { url, functions: [neverRun(code)] };
      const ast = parse(code, { ecmaVersion: 'latest', sourceType: 'module' });
      sources.merge(await convert({ ast, code, sourceMap, coverage }));
    }
    sources.filter((path) => shouldInstrument(path, this.#options, config));
    // Jest would parse those without code as JavaScript.
    for (const path of hasteFS.matchFilesWithGlob(this.#options.collectCoverageFrom, config.rootDir))
      if (!(path in sources.data)) sources.addFileCoverage(path);
    return sources.toJSON();
  }
}

const neverRun = ({ length }) => ({
  functionName: '',
  isBlockCoverage: true,
  ranges: [{ startOffset: 0, endOffset: length, count: 0 }],
});

/** Compiled files with code of src. */
function* readScripts(folder) {
  for (const name of readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.js'))) {
    const file = join(folder, name);
    const sourceMap = JSON.parse(readFileSync(`${file}.map`, 'utf8'));
    if (!sourceMap.sources.some((path) => /^(\.\.\/)+src\//.test(path))) continue;
    yield { url: pathToFileURL(file).href, code: readFileSync(file, 'utf8'), sourceMap };
  }
}
