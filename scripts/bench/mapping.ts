/**
 * What it costs to map one object, and to read one record of an ingest, in processor time: beside a bare webhook that
 * only has its signature checked, in the same run.
 */
import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { extendedSubscription } from '../../src/core/contract/contract-extensions.ts';
import { mapInvoice } from '../../src/plugin/sync/map/map-invoice.ts';
import { mapSubscription } from '../../src/plugin/sync/map/map-subscription.ts';
import { mapTransaction } from '../../src/plugin/sync/map/map-transaction.ts';
import { parseBatch } from '../../src/service/http/ingest.ts';
import { buildCharge } from '../../test/support/stripe/charge-objects.ts';
import {
  asWebhookPayload,
  buildInvoice,
  buildSubscription,
} from '../../test/support/stripe/stripe-objects.ts';
import { measureBurst, median, onSide } from './load.ts';

const ROUNDS = 5;
const TIMES = 20_000;
/** Until the compiler of the engine knows the way of a webhook. */
const WARM_UP = 2_000;

const observedAt = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const context = { observedAt, businessEntity: 'Bench Inc.' };
const subscription = asWebhookPayload(
  buildSubscription({ id: 'sub_bench' }),
) as unknown as Stripe.Subscription;
const invoice = asWebhookPayload(buildInvoice({ id: 'in_bench' })) as unknown as Stripe.Invoice;
const charge = asWebhookPayload(buildCharge({ id: 'ch_bench' })) as unknown as Stripe.Charge;
const chargeContext = {
  invoiceId: 'in_bench',
  subscriptionId: 'sub_bench',
  customerId: 'cus_bench',
  gatewayId: 'acct_bench',
  observedAt,
};
const mapped = mapSubscription(subscription, context);
if (mapped.kind !== 'message') throw new Error('The subscription of the benchmark does not map.');
const form = { name: 'subscriptions', schema: extendedSubscription, now: observedAt };
const body = {
  subscriptions: Array.from({ length: 200 }, (_, place) => ({ ...mapped.message, id: `sub_bench_${place}` })),
};

const WORK: Readonly<Record<string, { run: () => unknown; records: number }>> = {
  'map a subscription': { run: () => mapSubscription(subscription, context), records: 1 },
  'map an invoice': { run: () => mapInvoice(invoice, context), records: 1 },
  'map a transaction': { run: () => mapTransaction(charge, chargeContext), records: 1 },
  'read a record of an ingest': {
    run: () => parseBatch(form, body),
    records: 200,
  },
};

function microseconds(run: () => unknown, records: number): number {
  const before = process.cpuUsage();
  for (let time = 0; time < TIMES; time += records) run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / TIMES;
}

const bare: number[] = [];
const costs = new Map<string, number[]>(Object.keys(WORK).map((name) => [name, []]));
await onSide({ name: 'bare', kind: 'bare' }, async (server) => {
  await measureBurst(server, WARM_UP);
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push((await measureBurst(server, TIMES)).cpuPerRequest);
    for (const [name, { run, records }] of Object.entries(WORK))
      costs.get(name)?.push(microseconds(run, records));
  }
});
console.log('| | CPU µs (median) | of a bare request |\n|---|---|---|');
console.log(`| a bare request | ${median(bare).toFixed(1)} | |`);
for (const [name, ofRounds] of costs) {
  const cost = median(ofRounds);
  console.log(`| ${name} | ${cost.toFixed(1)} | ${((100 * cost) / median(bare)).toFixed(1)} % |`);
}
