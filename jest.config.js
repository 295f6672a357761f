const toJavaScript = ({ tsx }) => [
  '@swc/jest',
  {
    jsc: {
      parser: { syntax: 'typescript', tsx },
      transform: { react: { runtime: 'automatic', importSource: 'preact' } },
      target: 'es2023',
    },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  },
];

/** PGlite loads its WASM through dynamic import, which jest supports only for native ES modules. */
export default {
  testEnvironment: '<rootDir>/test/support/prompt-exit.js',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  // In a file with pages `<Row>(` is an element, elsewhere a type parameter.
  transform: { '\\.ts$': toJavaScript({ tsx: false }), '\\.tsx$': toJavaScript({ tsx: true }) },
  testMatch: ['<rootDir>/test/**/*.test.{ts,tsx}'],
  setupFiles: ['one-error-realm', 'property-seed', 'no-settings'].map(
    (name) => `<rootDir>/test/support/${name}.ts`,
  ),
  globalSetup: '<rootDir>/test/support/jest-setup.js',
  globalTeardown: '<rootDir>/test/support/jest-teardown.js',
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  // Bounds a hang: the longest test takes half a minute, on a busy machine several times that.
  testTimeout: 600_000,
  // On two cores: the third works while others wait, for a database, a heartbeat, a process that starts.
  maxWorkers: 3,
  // Node keeps some of the modules that each suite has afresh, and a large heap is slow.
  workerIdleMemoryLimit: '700MB',
  testSequencer: '<rootDir>/test/support/longest-first.js',
  reporters: ['default', '<rootDir>/test/support/count-reporter.js'],
};
