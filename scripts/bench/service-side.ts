/** One process of the retry service for `service.ts`: says `ready URL` and serves until killed. */
import { systemClock } from '../../src/core/base/clock.ts';
import { silentLogger } from '../../src/core/base/logger.ts';
import { openDatabase } from '../../src/core/database/open-database.ts';
import { createRetryService } from '../../src/service/service.ts';

const { BENCH_DATABASE_URL = '', BENCH_CALLBACK_URL = '', BENCH_API_KEY = '' } = process.env;

const database = await openDatabase({ kind: 'postgres', url: BENCH_DATABASE_URL });
const service = createRetryService({
  database,
  clock: systemClock,
  logger: silentLogger,
  host: '127.0.0.1',
  port: 0,
  organizations: [
    { name: 'default', apiKeys: [BENCH_API_KEY], callback: { baseUrl: BENCH_CALLBACK_URL, token: 'token' } },
  ],
  defaultTimeZone: 'UTC',
  // What is measured is the service, not its limits.
  requestsPerSecond: 1_000_000,
  concurrentRequests: 1000,
});
await service.start();
console.log(`ready ${service.url}`);
