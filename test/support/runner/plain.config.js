/** Pure suites on jest's own runtime, without a file of ours below them: their results do not come from `node-runtime.js`. */
export default {
  rootDir: '../../..',
  testMatch: [
    '<rootDir>/test/core/{declines,limits}/**/*.test.ts',
    '<rootDir>/test/plugin/{actions,clients/reads,operator/figures,sync/events,sync/map}/**/*.test.ts',
    '<rootDir>/test/plugin/retry/guards/!(guard-audit).test.ts',
    '<rootDir>/test/service/policy/**/*.test.ts',
  ],
  setupFiles: ['<rootDir>/test/support/runner/property-seed.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['babel-jest', { presets: ['@babel/preset-typescript'] }] },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.stryker-tmp'],
};
