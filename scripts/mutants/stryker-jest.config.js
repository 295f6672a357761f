/** The suites of what is pure: they need no database, and take milliseconds. */
import { fileURLToPath } from 'node:url';
import ordinary from '../../jest.config.js';

const { runtime, transform } = ordinary;

export default {
  ...{ rootDir: '../..', runtime, transform },
  // Stryker finds it by its whole path only.
  testEnvironment: fileURLToPath(new URL('../../test/support/runner/node-environment.js', import.meta.url)),
  globalSetup: '<rootDir>/scripts/mutants/stryker-setup.js',
  testRegex: [
    'test/declines/.*\\.test\\.ts$',
    'test/retry/guards/(?!guard-audit).*\\.test\\.ts$',
    'test/sync/map/.*\\.test\\.ts$',
    'test/service/policy/.*\\.test\\.ts$',
    'test/email/format-money\\.test\\.ts$',
    'test/assess/assessment\\.test\\.ts$',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist'],
};
