/** One backfill in a process of its own, watched from within; prints what it measured as JSON. */
import { DateTime } from 'luxon';
import { keepHeapSmall } from '../../src/cli/process/in-little-memory.ts';
import { silentLogger } from '../../src/core/base/logger.ts';
import { createOwnPlugin } from '../../src/plugin/app/own-plugin.ts';
import { findLastReport } from '../../src/plugin/store/reports/backfill-report.ts';
import { insertRun } from '../../src/plugin/store/tables/backfill/backfill-runs.ts';
import { countUndelivered } from '../../src/plugin/store/tables/sync/outbox.ts';

const { BENCH_URL = '', BENCH_DATA_DIR = '', BENCH_DATABASE_URL, BENCH_PACE } = process.env;
const MEGABYTE = 1024 * 1024;

keepHeapSmall();
const plugin = createOwnPlugin({
  retryMode: 'advisory',
  stripeSecretKey: 'sk_test_bench_not_a_real_key',
  stripeWebhookSecret: 'whsec_bench_not_a_real_secret',
  stripeApiBase: BENCH_URL,
  retryServiceUrl: BENCH_URL,
  retryServiceApiKey: 'bench',
  recoveryCallbackToken: 'a-token-of-the-benchmark',
  businessEntity: 'Bench Inc.',
  dataDir: BENCH_DATA_DIR,
  databaseUrl: BENCH_DATABASE_URL,
  logger: silentLogger,
});
await plugin.start();
const { database, requestBackfill } = plugin.parts;
if (BENCH_PACE) {
  const startedAt = DateTime.utc();
  const ranges = [{ list: 'subscriptions' as const, from: 0, to: Math.floor(startedAt.toSeconds()) }];
  const pace = { account: 'own', kind: 'backfill' as const, months: 1, perSecond: Number(BENCH_PACE) };
  await insertRun(database, { ...pace, startedAt, ranges });
}

const startedAt = performance.now();
const cpuAtStart = process.cpuUsage();
const rssAtStart = process.memoryUsage().rss;
let rssMost = rssAtStart;
let readSeconds = 0;
await requestBackfill();

for (let seconds = 1; ; seconds += 1) {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  rssMost = Math.max(rssMost, process.memoryUsage().rss);
  const elapsed = (performance.now() - startedAt) / 1000;
  const report = await findLastReport(database, 'own');
  const read = report?.kinds[0]?.read ?? 0;
  const isRead = report?.finishedAt != null;
  if (isRead && readSeconds === 0) readSeconds = elapsed;
  if (seconds % 10 === 0)
    console.error(
      `  ${Math.round(elapsed)} s: ${read} read, ${Math.round(rssMost / MEGABYTE)} MB (heap ${Math.round(process.memoryUsage().heapUsed / MEGABYTE)})${report?.reason ? `, ${report.reason}` : ''}`,
    );
  if (isRead && (await countUndelivered(database)).count === 0) {
    const { user, system } = process.cpuUsage();
    const mb = (bytes: number) => Math.round(bytes / MEGABYTE);
    const cpuSeconds = (user + system - cpuAtStart.user - cpuAtStart.system) / 1_000_000;
    const result = {
      read,
      readSeconds,
      allSeconds: elapsed,
      cpuSeconds,
      rssStart: mb(rssAtStart),
      rssMost: mb(rssMost),
    };
    console.log(JSON.stringify(result));
    break;
  }
}
await plugin.stop();
