import { closeScheduledActions } from '../../../../src/plugin/store/tables/retry/planned-actions.ts';
/** Whatever ends an action or puts it off says so in the story of its invoice: by which guard, and why. */

import type { ActionKind } from '../../../../src/plugin/actions/action-kinds.ts';
import { listAudit } from '../../../../src/plugin/store/tables/audit.ts';
import { buildSubscription } from '../../../support/stripe/stripe-objects.ts';
import { ACCOUNT, type Bench, declined, INVOICE, openBench, START } from '../payment/collection-fixture.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench.close());

const failure = { status: 500, body: { error: { type: 'api_error', message: 'Try again.' } } };
const refusal = { status: 403, body: { error: { type: 'invalid_request_error', message: 'revoked' } } };

async function story() {
  const rows = await listAudit(bench.database, { about: INVOICE });
  return rows
    .filter(({ detail }) => detail.guard !== undefined)
    .map(({ kind, detail }) => [kind, detail.guard, detail.reason, detail.until]);
}

async function runOne(kind: ActionKind = 'pay'): Promise<string> {
  const id = await bench.add({ kind });
  await bench.run(id);
  return id;
}

const DISPUTE = { code: 'dispute_opened', disputeId: 'dp_1' } as const;
const later = expect.stringMatching(/^2026-11-2\dT.*Z$/);
const stopAll = () =>
  closeScheduledActions(
    bench.database,
    { account: ACCOUNT, invoiceIds: [INVOICE] },
    DISPUTE,
    bench.deps.clock.now(),
  );

describe('a payment', () => {
  it('the audit records a payment that a guard stops or puts off', async () => {
    bench.stripe.invoice = { status: 'paid' };
    await runOne();
    bench.stripe.invoice = { next_payment_attempt: START.plus({ hours: 1 }).toUnixInteger() };
    await runOne();
    expect(await story()).toEqual([
      ['guard.stopped', 'status', { code: 'invoice_status', status: 'paid' }, undefined],
      [
        'guard.postponed',
        'stripe_retry_near',
        { code: 'stripe_tries', at: START.plus({ hours: 1 }).toISO() },
        later,
      ],
    ]);
  });

  it('the audit records a payment of an invoice that Stripe does not know', async () => {
    bench.stripe.invoice = undefined;
    await runOne();
    expect(await story()).toEqual([
      ['guard.stopped', 'invoice', { code: 'invoice_unknown', invoiceId: INVOICE }, undefined],
    ]);
  });

  it('the audit records a payment that waits for an attempt in doubt, its own or that of another action', async () => {
    bench.stripe.pay = () => failure;
    const first = await runOne();
    expect((await bench.action(first))?.state).toBe('scheduled');
    bench.stripe.invoice = { next_payment_attempt: null, default_payment_method: 'pm_2' };
    await bench.run(await bench.add({ cause: 'card_change', reference: 'pm_2', paymentMethod: 'pm_2' }));
    await stopAll();
    await bench.wait({ minutes: 1 });
    await bench.run(first);
    expect(await story()).toEqual([
      ['guard.postponed', 'attempt_in_doubt', { code: 'earlier_attempt_unsettled' }, later],
      ['guard.postponed', 'attempt_in_doubt', { code: 'charge_not_known_yet' }, later],
    ]);
  });

  it('the audit records a payment that is made anew because the first call came to nothing', async () => {
    bench.stripe.pay = () => failure;
    await runOne();
    for (let look = 0; look < 5; look += 1) {
      await bench.wait({ minutes: 61 });
      await bench.runDue();
    }
    expect(await story()).toEqual([
      ['guard.postponed', 'attempt_in_doubt', { code: 'no_charge_made' }, later],
    ]);
  });

  it('the audit records a payment that was stopped while it ran, before its call', async () => {
    bench.stripe.onRead = async () => void (await stopAll());
    await runOne();
    expect(await story()).toEqual([
      ['attempt.withheld', 'claim', { code: 'claim_lost' }, undefined],
      ['guard.stopped', 'action_closed', DISPUTE, undefined],
    ]);
  });

  it('the audit records a payment whose run fails and which is given up in the end', async () => {
    const id = await bench.add();
    await bench.database.query('alter table payment_retry.holds rename to holds_away');
    await expect(bench.run(id)).rejects.toThrow();
    await bench.database.query('alter table payment_retry.holds_away rename to holds');
    await bench.giveUp(id);
    expect(await story()).toEqual([
      ['guard.postponed', 'failure', { code: 'failed', error: expect.stringContaining('holds') }, later],
      ['guard.stopped', 'failure', { code: 'gave_up', error: 'no database' }, undefined],
    ]);
    await bench.giveUp(id);
    expect(await story()).toHaveLength(2);
  });

  it('the audit records only once that Stripe refuses the key for a payment, however often it is looked at', async () => {
    bench.stripe.pay = () => refusal;
    await runOne();
    for (let hour = 0; hour < 3; hour += 1) {
      await bench.wait({ hours: 1 });
      await bench.runDue();
    }
    expect(await story()).toEqual([
      [
        'guard.postponed',
        'stripe_access',
        { code: 'access_refused', message: expect.stringContaining('revoked') },
        later,
      ],
    ]);
  });

  it('the audit records a payment that waits while another of the same customer runs', async () => {
    const second = await bench.add();
    bench.stripe.pay = async () => {
      await bench.run(second);
      return declined;
    };
    await bench.run(await bench.add());
    expect(await story()).toEqual([['guard.postponed', 'single_flight', { code: 'customer_busy' }, later]]);
  });
});

describe('an email', () => {
  const email = () => runOne('card_update_email');

  it('the audit records an email that waits for the morning, for a payment, or for the mail server', async () => {
    bench.setWindow({ fromMinute: 12 * 60, toMinute: 20 * 60 });
    await email();
    bench.setWindow({ fromMinute: 0, toMinute: 1440 });
    bench.emailAnswers.push({ kind: 'failed', reason: '451 later' });
    await email();
    expect(await story()).toEqual([
      ['email.delayed', 'email_window', { code: 'outside_window' }, later],
      ['email.delayed', 'mail_server', { code: 'email_not_taken', answer: '451 later' }, later],
    ]);
  });

  it('the audit records an email that is not right, not possible, or about nothing', async () => {
    bench.stripe.invoice = { status: 'void' };
    await email();
    bench.stripe.invoice = undefined;
    await email();
    bench.stripe.invoice = {};
    bench.stripe.customer = { ...bench.stripe.customer, email: null };
    await email();
    expect(await story()).toEqual([
      ['email.withheld', 'status', { code: 'invoice_status', status: 'void' }, undefined],
      ['email.withheld', 'invoice', { code: 'invoice_unknown', invoiceId: INVOICE }, undefined],
      ['email.undeliverable', 'recipient', { code: 'no_address', customerId: 'cus_1Ada' }, undefined],
    ]);
  });

  it('the audit records an email that was stopped while it ran', async () => {
    bench.stripe.onRead = async () => void (await stopAll());
    await email();
    expect(bench.emails).toEqual([]);
    expect(await story()).toEqual([['email.withheld', 'action_closed', DISPUTE, undefined]]);
  });
});

describe('while collection of the subscription is paused', () => {
  it.each<[ActionKind, string]>([
    ['pay', 'guard.stopped'],
    ['card_update_email', 'email.withheld'],
  ])(
    '%s does nothing while collection of the subscription is paused, and the audit says until when',
    async (kind, told) => {
      const resumes_at = START.plus({ days: 10 }).toUnixInteger();
      for (const pause_collection of [
        { behavior: 'keep_as_draft', resumes_at } as const,
        { behavior: 'void', resumes_at: null } as const,
      ]) {
        const subscription = buildSubscription({ status: 'active', pause_collection });
        bench.stripe.invoice = {
          parent: {
            quote_details: null,
            subscription_details: { metadata: {}, subscription },
            type: 'subscription_details',
          },
        };
        await runOne(kind);
      }
      expect([bench.keys(), bench.emails]).toEqual([[], []]);
      const paused = { code: 'collection_paused', subscriptionId: 'sub_1Basic' };
      expect(await story()).toEqual([
        [told, 'pause_collection', { ...paused, until: '2026-11-30T10:00:00.000Z' }, undefined],
        [told, 'pause_collection', paused, undefined],
      ]);
    },
  );
});
