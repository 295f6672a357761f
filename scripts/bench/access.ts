/**
 * Times of `customers.access` for 10,000 customers, each asked once from the database and then at random from memory, while a subscription
 * changes ten times a second. CUSTOMERS is their number, DATABASE_URL: PostgreSQL instead of the embedded database. ASKED that of questions.
 */
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../../src/core/base/clock.ts';
import { openDatabase } from '../../src/core/database/open-database.ts';
import { createCustomerAccess } from '../../src/plugin/operator/lists/customer-access.ts';
import { migratePlugin } from '../../src/plugin/store/migrate-plugin.ts';
import { newDataDirectory } from '../../test/support/database/data-directory.ts';
import { percentile } from './percentile.ts';

const CUSTOMERS = Number(process.env.CUSTOMERS ?? 10_000);
const ASKED = Number(process.env.ASKED ?? 100_000);
const url = process.env.DATABASE_URL;

const database = await openDatabase(
  url ? { kind: 'postgres', url } : { kind: 'embedded', directory: newDataDirectory() },
);
await migratePlugin(database);
await database.exec(`insert into payment_retry.subscriptions (account, id, customer_id, status, version, version_source)
  select 'own', 'sub_' || n, 'cus_' || n, case when n % 50 = 0 then 'past_due' else 'active' end, now(), 'event'
  from generate_series(0, ${CUSTOMERS - 1}) n`);
const rules = {
  mode: 'advisory',
  afterGivingUp: 'leave',
  accessGrace: { days: undefined, plans: [] },
} as const;
const access = createCustomerAccess({ database, clock: systemClock, config: () => rules });

async function ask(number: number): Promise<number> {
  const before = performance.now();
  await access.read({ account: 'own', customerId: `cus_${number}` });
  return performance.now() - before;
}

const cold: number[] = [];
for (let number = 0; number < CUSTOMERS; number += 1) cold.push(await ask(number));
const changes = setInterval(() => {
  const number = Math.floor(Math.random() * CUSTOMERS);
  void database.exec(
    `update payment_retry.subscriptions set status = 'past_due' where account = 'own' and id = 'sub_${number}'`,
  );
}, 100);
const warm: number[] = [];
for (let count = 0; count < ASKED; count += 1) {
  warm.push(await ask(Math.floor(Math.random() * CUSTOMERS)));
  await setImmediate();
}
clearInterval(changes);
access.stop();
await database.close();

console.log('| | p50 ms | p99 ms | worst ms |\n|---|---|---|---|');
for (const [name, times] of [
  ['first question', cold],
  ['from memory', warm],
] as const)
  console.log(
    `| ${name} | ${[0.5, 0.99, 1].map((share) => percentile(times, share).toFixed(3)).join(' | ')} |`,
  );
