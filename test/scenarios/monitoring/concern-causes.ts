/** A row for each concern of the status, all of which are one rule: PaymentRetryAttention. */
import type { DurationLike } from 'luxon';
import type { Concern } from '../../../src/plugin/store/reports/work-status.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
} from '../../../src/workbench/sandbox/payment-behaviour.ts';
import type { AlertCause } from './alert-cause.ts';
import type { MonitoredSite } from './monitored-site.ts';

interface ConcernCause extends Pick<AlertCause, 'when'> {
  /** Gives what ends it. */
  begin(site: MonitoredSite): Promise<() => Promise<unknown>>;
}

const ALWAYS = Number.POSITIVE_INFINITY;
const fails = () => acceptsFirst(1, declines('stolen_card'));
/** Past what the networks ask to be left between two attempts. */
const NEXT_DAY: DurationLike = { hours: 25 };
/** Some of them are in the hours in which emails go out. */
const A_DAY = [{ hours: 4 }, 7] as const;

async function askToPay(site: MonitoredSite): Promise<void> {
  const { invoiceId } = await site.renewal(declinesTimes(1, 'insufficient_funds'));
  await site.pass(NEXT_DAY);
  await site.instruct({ invoiceId, actionSuggestion: 'ACTION_SUGGESTION_RETRY' });
}

async function askToEmail(site: MonitoredSite): Promise<string> {
  const { invoiceId } = await site.renewal(fails());
  await site.instruct({ invoiceId, actionSuggestion: 'ACTION_SUGGESTION_CARD_CHANGE' });
  return invoiceId;
}

/** Rows of this kind are refused, as by a disk that is full. */
async function refuseRows(site: MonitoredSite, table: 'attempts' | 'actions', allowed: string) {
  await site.query(
    `alter table payment_retry.${table} add constraint full_disk check (${allowed}) not valid`,
  );
  return () => site.query(`alter table payment_retry.${table} drop constraint full_disk`);
}

const CAUSES: Readonly<Record<Concern, ConcernCause>> = {
  pausedEffects: {
    when: 'an operator pauses everything',
    begin: async (site) => {
      await site.operate('pause');
      return () => site.operate('resume');
    },
  },
  undecided: {
    when: 'a new card could pay an invoice in a currency without a total',
    begin: async (site) => {
      const { customerId, invoiceId } = await site.renewal(acceptsFirst(1, declines('insufficient_funds')));
      site.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
      await site.settle();
      await site.pass(...A_DAY);
      return () => site.operate('stop', { invoice: invoiceId });
    },
  },
  stalledQueues: {
    when: 'a foreign session holds the jobs of a queue',
    begin: async (site) => {
      await site.fleet.children[0]?.request('catch-up');
      const session = await site.connect();
      await session.query('begin');
      await session.query(`select from payment_retry_jobs.job where name = 'each-account' for update`);
      await site.pass({ minutes: 3 });
      return () => session.end();
    },
  },
  clocks: {
    when: "the machine of a process is 40 minutes ahead of the database's clock",
    begin: async (site) => {
      await site.query('update payment_retry.processes set ahead_of_database = 2400');
      return () => site.query('update payment_retry.processes set ahead_of_database = null');
    },
  },
  undeliveredEvents: {
    when: 'NOTIFY and EVENTS_URL answer 500 for days',
    begin: async (site) => {
      site.receiver.status = 500;
      await site.operate('pause');
      await site.settle();
      await site.operate('resume');
      await site.pass({ hours: 6 }, 26);
      return async () => {
        site.receiver.status = 200;
        // After a month they are deleted.
        await site.pass({ days: 31 });
        const at = site.clock.now().toISO();
        await site.query(
          `insert into payment_retry_jobs.job (name, data, start_after) values ('prune', '{}', '${at}')`,
        );
        await site.settle();
      };
    },
  },
  accessRefused: {
    when: 'the key may not pay invoices',
    begin: async (site) => {
      site.sandbox.faults.next('POST', /\/pay$/, 'permission_denied', ALWAYS);
      await askToPay(site);
      await site.pass({ minutes: 2 });
      return async () => {
        site.sandbox.faults.clear();
        await site.pass({ minutes: 61 });
      };
    },
  },
  cursors: {
    when: 'Stripe does not give its list of events for a day',
    begin: async (site) => {
      site.sandbox.faults.next('GET', '/events', 'server_error_before', ALWAYS);
      await site.pass({ hours: 5 }, 5);
      return async () => site.sandbox.faults.clear();
    },
  },
  missedWebhooks: {
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
      };
    },
  },
  pauses: {
    when: 'the retry service does not answer for an hour',
    begin: async (site) => {
      site.service.isDown = true;
      site.change();
      await site.pass({ minutes: 20 }, 5);
      return async () => {
        site.service.isDown = false;
      };
    },
  },
  completeness: {
    when: 'Stripe does not give its list of subscriptions for an hour',
    begin: async (site) => {
      site.sandbox.faults.next('GET', '/subscriptions', 'server_error_before', ALWAYS);
      await site.fleet.children[0]?.request('backfill');
      await site.pass({ minutes: 20 }, 5);
      return async () => site.sandbox.faults.clear();
    },
  },
  verifications: {
    when: 'a row has drifted from Stripe',
    begin: async (site) => {
      const { subscriptionId: id } = await site.renewal(accepts());
      await site.query(`update payment_retry.subscriptions set customer_id = 'cus_9' where id = '${id}'`);
      await site.fleet.children[0]?.request('verification');
      await site.pass({ minutes: 3 }, 4);
      return () => site.fleet.children[0]?.request('backfill') ?? Promise.resolve();
    },
  },
  quarantined: {
    when: 'the retry service refuses a record',
    begin: async (site) => {
      site.service.answer = () => ({ status: 422 });
      site.change();
      await site.settle();
      site.service.answer = () => undefined;
      return () => site.operate('replay', { refused: 'all' });
    },
  },
  answeredOddly: {
    when: 'the retry service answers 200 without taking a record',
    begin: async (site) => {
      site.service.answer = () => ({ status: 200, body: { success: false } });
      site.change();
      await site.settle();
      return async () => {
        site.service.answer = () => undefined;
        await site.pass({ minutes: 2 }, 2);
      };
    },
  },
  unmapped: {
    when: 'a price has a form that nobody knows',
    begin: async (site) => {
      const { subscriptionId } = await site.renewal(accepts());
      const price = site.sandbox.state.subscriptions.get(subscriptionId)?.items.data[0]?.price;
      if (!price) throw new Error('It has no price.');
      Object.assign(price, { billing_scheme: 'auction' });
      site.sandbox.updateSubscription(subscriptionId, { metadata: { changed: 'yes' } });
      await site.settle();
      return async () => {
        Object.assign(price, { billing_scheme: 'per_unit' });
        await site.operate('replay', { unmapped: 'all' });
      };
    },
  },
  deadEvents: {
    when: 'the disk takes no attempts until an event is given up',
    begin: async (site) => {
      const accept = await refuseRows(site, 'attempts', `source <> 'stripe'`);
      await site.renewal(accepts());
      await site.pass({ hours: 1 }, 14);
      await accept();
      return () => site.operate('replay', { events: 'all' });
    },
  },
  failedInstructions: {
    when: 'the disk takes no actions until an instruction is given up',
    begin: async (site) => {
      const accept = await refuseRows(site, 'actions', `kind <> 'pay'`);
      await askToPay(site);
      await site.pass({ hours: 1 }, 22);
      await accept();
      return () => site.operate('replay', { instructions: 'all' });
    },
  },
  unknownInvoices: {
    when: 'the service names a hundred invoices that Stripe does not know',
    begin: async (site) => {
      for (let index = 0; index < 100; index += 1)
        await site.instruct({
          invoiceId: `in_of_another_${index}`,
          actionSuggestion: 'ACTION_SUGGESTION_RETRY',
        });
      await site.settle();
      return () => site.pass({ minutes: 70 });
    },
  },
  openEndings: {
    when: 'the service gives up an invoice and AFTER_GIVING_UP leaves it to a person',
    begin: async (site) => {
      const { invoiceId } = await site.renewal(fails());
      await site.instruct({ id: 'end', type: 'complete_dunning', created: 'now', data: { invoiceId } });
      await site.settle();
      return () => site.operate('stop', { invoice: invoiceId });
    },
  },
  undeliverableEmails: {
    when: 'the mail server refuses an address for good',
    begin: async (site) => {
      site.email.refusals.push(550);
      const invoice = await askToEmail(site);
      await site.pass(...A_DAY);
      return async () => {
        await site.operate('sendEmailAgain', { invoice });
        await site.pass(...A_DAY);
      };
    },
  },
  delayedEmails: {
    when: 'the mail server takes no emails for an hour',
    begin: async (site) => {
      site.email.refusals.push(...Array<number>(200).fill(451));
      await askToEmail(site);
      await site.pass(...A_DAY);
      return async () => {
        site.email.refusals.length = 0;
        await site.pass(...A_DAY);
      };
    },
  },
  overdueActions: {
    when: 'no process runs for two hours and a payment falls due',
    begin: async (site) => {
      const { invoiceId } = await site.renewal(declinesTimes(1, 'insufficient_funds'));
      await site.pass(NEXT_DAY);
      const idealRetryTime = site.clock.now().plus({ minutes: 30 }).toISO();
      await site.instruct({ invoiceId, actionSuggestion: 'ACTION_SUGGESTION_RETRY', idealRetryTime });
      await site.settle();
      await site.keepRunning(0);
      await site.clock.set(site.clock.now().plus({ hours: 2 }));
      await site.keepRunning(2);
      await site.settle();
      return async () => {};
    },
  },
};

/** What nobody has seen for five minutes is over. */
const UNTIL_OVER = [{ minutes: 3 }, 3] as const;

export const CONCERN_CAUSES: readonly AlertCause[] = Object.entries(CAUSES).map(
  ([concern, { when, begin }]) => ({
    alert: 'PaymentRetryAttention',
    labels: { concern },
    when,
    begin: async (site) => {
      const end = await begin(site);
      await site.settle();
      return async () => {
        await end();
        await site.settle();
        await site.pass(...UNTIL_OVER);
      };
    },
  }),
);
