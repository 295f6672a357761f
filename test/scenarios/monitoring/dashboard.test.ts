/** Every panel of the dashboard shows something, of a merchant to whom everything has happened, by a real Prometheus. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ALL_ACCOUNTS, pauseEffects } from '../../../src/plugin/store/tables/retry/pauses.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
} from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { eventually } from '../../support/eventually.ts';
import { startReceiver } from '../../support/http/event-receiver.ts';
import { METRICS_TOKEN } from '../../support/http/scrape.ts';
import { findPrometheus, startPrometheus, withoutPrometheus } from '../../support/process/prometheus.ts';
import { inFull } from '../../support/runner/full-run.ts';
import { failingInvoice, renew, statusOf, subscribe } from '../../support/scenario.ts';
import { createWorld, type World } from '../../support/world.ts';

const FILE = new URL('../../../docs/how-to/files/grafana-dashboard.json', import.meta.url);
const panels = z
  .object({
    panels: z.array(
      z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).default([]) }),
    ),
  })
  .parse(JSON.parse(readFileSync(FILE, 'utf8'))).panels;

const program = findPrometheus('prometheus');
if (!program) test.skip(withoutPrometheus('the panels of the dashboard', 'prometheus'), () => {});
else inFull('each panel of the dashboard shows a series after a played story', () => look(program));

async function look(program: string): Promise<void> {
  const receiver = await startReceiver();
  const world = await createWorld({ plugin: { metricsToken: METRICS_TOKEN, notify: receiver.url } });
  const prometheus = await startPrometheus(program, { 'payment-retry': [world.url] });
  try {
    // What is counted before the first look has not grown since.
    await eventually(async () => expect(await prometheus.query('up == 1')).toHaveLength(1));
    await recover(world);
    // A series grows only from the look that first finds it.
    await eventually(async () =>
      expect(await prometheus.query('payment_retry_action_lateness_seconds_count')).not.toEqual([]),
    );
    await live(world);
    await eventually(async () => {
      const empty: string[] = [];
      for (const { title, targets } of panels)
        for (const { expr } of targets) {
          // As Grafana has it for the scrape interval of a minute.
          const found = await prometheus.query(expr.replaceAll('$__rate_interval', '4m'));
          if (!found.some(({ value }) => Number.isFinite(value))) empty.push(`${title}: ${expr}`);
        }
      expect(empty).toEqual([]);
    });
  } finally {
    await prometheus.stop();
    await world.stop();
    await receiver.stop();
  }
}

async function recover(world: World): Promise<string> {
  const { invoiceId } = await failingInvoice(world, declinesTimes(2, 'insufficient_funds'));
  await world.advance({ days: 10 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  return invoiceId;
}

/** Recovered, lost, given back, emailed; then everything that can be out of order is. */
async function live(world: World): Promise<void> {
  const { sandbox, plugin, clock } = world;
  const invoiceId = await recover(world);
  await failingInvoice(world, acceptsFirst(1, declines('stolen_card')));
  await world.advance({ days: 1 });
  sandbox.refundCharge(chargeOf(world, invoiceId));
  await world.settle();

  sandbox.faults.next('GET', '/events', 'rate_limit', 3);
  await plugin.parts.requestCatchUp();
  await world.advance({ minutes: 5 });
  const { subscriptionId } = await subscribe(world, accepts());
  sandbox.webhookFaults.drop = 1;
  await renew(world, subscriptionId);
  await world.advance({ minutes: 10 });
  await plugin.parts.requestCatchUp();
  await world.settle();
  await pauseEffects(plugin.parts.database, {
    account: ALL_ACCOUNTS,
    reason: 'a test',
    by: 'ada',
    at: clock.now(),
  });
  await world.advance({ minutes: 1 });
  await plugin.parts.requestCatchUp();
  await clock.set(clock.now().plus({ minutes: 3 }));
}

/** Of its payment. */
function chargeOf({ sandbox }: World, invoiceId: string): string {
  const [payment] = [...sandbox.state.invoicePayments.newestFirst({ index: 'invoice', key: invoiceId })];
  const charges = sandbox.state.charges.newestFirst({
    index: 'paymentIntent',
    key: payment?.payment.payment_intent ?? '',
  });
  const paid = [...charges].find(({ status }) => status === 'succeeded');
  if (!paid) throw new Error('Nobody paid it.');
  return paid.id;
}
