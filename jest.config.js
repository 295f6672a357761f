/** Node loads test files and sources itself, compiled by `compiled-tests.js`: see `node-runtime.js`. */
export default {
  runtime: '<rootDir>/test/support/runner/node-runtime.js',
  testEnvironment: '<rootDir>/test/support/runner/node-environment.js',
  transform: {},
  collectCoverageFrom: ['src/**/*.{ts,tsx}'],
  testMatch: ['<rootDir>/test/**/*.test.{ts,tsx}'],
  globalSetup: '<rootDir>/test/support/runner/jest-setup.js',
  globalTeardown: '<rootDir>/test/support/runner/jest-teardown.js',
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.stryker-tmp'],
  // Bounds a hang: the longest test takes half a minute, on a busy machine several times that.
  testTimeout: 600_000,
  // On two cores: the third works while others wait, for a database, a heartbeat, a process that starts.
  maxWorkers: 3,
  // Ends a worker that has run so many suites that what their modules hold is felt; the next suite starts another. With it jest starts
  // workers also for a single file.
  ...(process.argv.some((word) => /\.test\b/.test(word)) ? {} : { workerIdleMemoryLimit: '1GB' }),
  // A worker that ends on a busy machine takes longer than jest's half second. One that a test keeps alive is reported in any case.
  workerGracefulExitTimeout: 15_000,
  testSequencer: '<rootDir>/test/support/runner/longest-first.js',
  reporters: [
    'default',
    '<rootDir>/test/support/runner/coverage-reporter.js',
    '<rootDir>/test/support/runner/count-reporter.js',
  ],
};
