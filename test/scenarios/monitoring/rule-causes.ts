/** A row for each rule but PaymentRetryAttention, whose concerns have theirs. */
import Stripe from 'stripe';
import { accepts } from '../../../src/workbench/sandbox/payment-behaviour.ts';
import type { AlertCause } from './alert-cause.ts';
import type { MonitoredSite } from './monitored-site.ts';

let sent = 0;

/** A webhook of Stripe's, signed with this secret. Gives the status of the answer. */
async function sendWebhook({ clock, fleet, sandbox }: MonitoredSite, secret: string): Promise<number> {
  const [latest] = [...sandbox.state.events.newestFirst()].filter(
    ({ type }) => type === 'customer.subscription.updated',
  );
  sent += 1;
  const payload = JSON.stringify({ ...latest, id: `evt_again${sent}` });
  const timestamp = Math.floor(clock.now().toSeconds());
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const response = await fetch(`${fleet.url}/webhooks/stripe`, {
    method: 'POST',
    headers: { 'stripe-signature': signature },
    body: payload,
  });
  await response.body?.cancel();
  return response.status;
}

/** Those that are not answered yet. */
const slow: Promise<number>[] = [];

export const RULE_CAUSES: readonly AlertCause[] = [
  {
    alert: 'PaymentRetryWebhooksMissing',
    labels: { account: 'own' },
    when: 'no webhook arrives and Stripe lists new events',
    begin: async (site) => {
      site.sandbox.webhookFaults.drop = 1;
      for (let reading = 0; reading < 8; reading += 1) {
        site.change();
        await site.pass({ minutes: 5 });
      }
      return async () => {
        site.sandbox.webhookFaults.drop = 0;
        await site.pass({ minutes: 5 });
        site.change();
        await site.pass({ minutes: 5 });
      };
    },
  },
  {
    alert: 'PaymentRetryProcessDown',
    labels: { job: 'payment-retry' },
    when: 'one of two processes is killed',
    begin: async (site) => {
      await site.keepRunning(1);
      return () => site.keepRunning(2);
    },
  },
  {
    alert: 'PaymentRetryDown',
    when: 'no process is left',
    begin: async (site) => {
      await site.keepRunning(0);
      return () => site.keepRunning(2);
    },
  },
  {
    alert: 'PaymentRetryDown',
    when: 'the database is away',
    begin: async (site) => {
      await site.postgres.halt('fast');
      return () => site.postgres.start();
    },
  },
  {
    alert: 'PaymentRetryServiceDown',
    labels: { job: 'payment-retry-service' },
    when: 'the retry service in a process of its own is killed',
    prepare: (site) => site.startService(),
    begin: async (site) => {
      await site.stopService();
      return () => site.startService();
    },
  },
  {
    alert: 'PaymentRetryWebhooksFail',
    when: 'the endpoint at Stripe has another secret',
    begin: async () => async () => {},
    goOn: async (site) => {
      expect(await sendWebhook(site, 'whsec_another')).toBe(400);
    },
  },
  {
    alert: 'PaymentRetryWebhooksSlow',
    when: 'the database takes seconds for a row',
    begin: async (site) => {
      site.change();
      await site.settle();
      await site.query(`create function payment_retry.dawdle() returns trigger language plpgsql as
        'begin perform pg_sleep(5.2); return null; end'`);
      await site.query(`create trigger dawdle before insert on payment_retry.events
        for each statement execute function payment_retry.dawdle()`);
      return async () => {
        await site.query('drop trigger dawdle on payment_retry.events');
        await site.query('drop function payment_retry.dawdle()');
        await Promise.all(slow.splice(0));
        await site.settle();
      };
    },
    goOn: async (site) => void slow.push(sendWebhook(site, site.sandbox.webhookSecret)),
  },
  {
    alert: 'PaymentRetryDeliveryLate',
    when: 'the retry service does not answer',
    begin: async (site) => {
      site.service.isDown = true;
      await site.renewal(accepts());
      await site.pass({ minutes: 5 }, 4);
      return async () => {
        site.service.isDown = false;
        await site.pass({ minutes: 5 }, 2);
      };
    },
  },
  {
    alert: 'PaymentRetryQueueLate',
    labels: { queue: 'each-account' },
    when: 'nobody takes due jobs',
    begin: async (site) => {
      await site.fleet.children[0]?.request('catch-up');
      await site.clock.set(site.clock.now().plus({ minutes: 16 }));
      await site.fleet.setClock(site.clock.now());
      return () => site.settle();
    },
  },
  {
    alert: 'PaymentRetryStripeErrors',
    when: 'Stripe answers 503',
    begin: async (site) => {
      site.sandbox.faults.next('GET', /./, 'server_error_before', Number.POSITIVE_INFINITY);
      return async () => {
        site.sandbox.faults.clear();
        await site.pass({ minutes: 10 }, 2);
      };
    },
    goOn: (site) => site.pass({ minutes: 5 }),
  },
];
