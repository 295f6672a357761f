/** The plugin is killed at the worst moments and started again on what it left behind: nothing is lost or done twice. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { HANDLED_EVENTS } from '../../src/plugin/operator/checks/webhook-endpoint.ts';
import { acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { ENGINES } from '../support/database/databases.ts';
import { startEmailCatcher } from '../support/http/email-catcher.ts';
import { startReceiver } from '../support/http/event-receiver.ts';
import { IS_FULL_RUN } from '../support/runner/full-run.ts';
import { type CrashSite, createCrashSite, type Renewal } from './crash-site.ts';

const PAY = /\/pay$/;
const RETRY = 'ACTION_SUGGESTION_RETRY';

describe.each(ENGINES)('a killed plugin on $engine', (engine) => {
  let site: CrashSite;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let renewal: Renewal;
  let eventsBefore: number;
  beforeAll(async () => {
    receiver = await startReceiver();
    const EVENTS_SECRET = `whsec_${'QUJD'.repeat(8)}`;
    site = await createCrashSite(engine, { EVENTS_URL: receiver.url, EVENTS_SECRET });
  });
  afterAll(async () => {
    await site.stop();
    await receiver.stop();
  });
  beforeEach(async () => {
    renewal = await site.renewal();
    eventsBefore = countSent();
  });

  const countSent = () =>
    [...site.sandbox.state.events.newestFirst()].filter(({ type }) => HANDLED_EVENTS.includes(type)).length;

  /** Starts what is due until `moment` has come, with the work undone. */
  async function runUntil(moment: Promise<unknown>): Promise<{ running: Promise<string> }> {
    const running = site.plugin.run().then(
      () => 'finished without coming to that moment',
      () => 'killed',
    );
    expect(await Promise.race([moment.then(() => 'the moment'), running])).toBe('the moment');
    return { running };
  }
  /** Kills the process at that moment. */
  async function killDuring(moment: Promise<unknown>): Promise<void> {
    const { running } = await runUntil(moment);
    await site.plugin.kill();
    expect(await running).toBe('killed');
  }

  /** The failed renewals are known, and the networks allow another attempt. */
  async function rest(): Promise<void> {
    await site.settle();
    await site.pass({ hours: 25 }, { hours: 25 });
  }
  /** After that the service asks for it. */
  async function instruct(suggestion = RETRY): Promise<void> {
    await rest();
    expect(await site.instruct(renewal.invoiceId, suggestion)).toBe(200);
  }
  /** Sends what happened at Stripe, and does nothing about it. */
  async function acknowledge(): Promise<void> {
    const before = site.sandbox.state.deliveries.length;
    await site.sandbox.run();
    const made = site.sandbox.state.deliveries.slice(before);
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([200]));
  }

  const ofInvoice = (columns: string, table: string, { invoiceId } = renewal) =>
    site.plugin.query(`select ${columns} from payment_retry.${table} where invoice_id = '${invoiceId}'`);
  const payCalls = ({ invoiceId } = renewal) =>
    site.sandbox.state.apiCalls.filter(({ path }) => path === `/v1/invoices/${invoiceId}/pay`);

  async function expectNothingLost(): Promise<void> {
    const sent = countSent();
    expect(sent).toBeGreaterThanOrEqual(eventsBefore);
    const events = await site.plugin.query(
      `select count(*) as recorded, count(*) filter (where processed_at is null or results->0->>'code' = 'dead') as undone
       from payment_retry.events`,
    );
    expect(events).toEqual([{ recorded: sent, undone: 0 }]);
    expect(site.forwarded).toContain(renewal.subscriptionId);
    const undelivered = `select id from payment_retry.subscriptions where version is distinct from delivered_version`;
    expect(await site.plugin.query(undelivered)).toEqual([]);
  }

  async function expectPaidOnce(one = renewal): Promise<void> {
    expect(site.sandbox.state.invoices.get(one.invoiceId)?.status).toBe('paid');
    const attempts = await ofInvoice(
      'source, outcome, idempotency_key as key, charge_id as charge',
      'attempts',
      one,
    );
    const charge = expect.stringMatching(/^ch_/);
    expect(attempts).toHaveLength(2);
    expect(attempts).toContainEqual({ source: 'stripe', outcome: 'declined', key: null, charge });
    expect(attempts).toContainEqual({ source: 'ours', outcome: 'paid', key: expect.any(String), charge });
    const keys = new Set(payCalls(one).map((call) => call.idempotencyKey));
    expect([...keys]).toEqual([attempts.find(({ source }) => source === 'ours')?.key]);
    expect(chargesOfInvoice(one)).toEqual(['failed', 'succeeded']);
    expect(await ofInvoice('state', 'instructions', one)).toEqual([{ state: 'scheduled' }]);
    expect(await ofInvoice('state', 'actions', one)).toEqual([
      { state: expect.stringMatching(/^(done|closed)$/) },
    ]);
  }

  function chargesOfInvoice({ invoiceId } = renewal): string[] {
    const { invoicePayments, charges } = site.sandbox.state;
    const intents = new Set(
      [...invoicePayments.newestFirst()]
        .filter(({ invoice }) => invoice === invoiceId)
        .map(({ payment }) => payment.payment_intent),
    );
    const made = [...charges.newestFirst()].filter((charge) => intents.has(charge.payment_intent ?? ''));
    return made.map(({ status }) => status).sort();
  }

  it('a killed plugin leaves two payments, a post and acknowledged events undone, and the next one does each once', async () => {
    const [charged, asked] = [renewal, await site.renewal()];
    const posted = await site.renewal();
    await rest();
    await site.instruct(posted.invoiceId, RETRY);
    await site.pass({ seconds: 30 });
    receiver.isSilent = true;
    await site.jump({ minutes: 1 });
    const both = [charged, asked];
    const holds = both.map(({ invoiceId }) =>
      site.sandbox.faults.hold('POST', `/v1/invoices/${invoiceId}/pay`),
    );
    for (const { invoiceId } of both) expect(await site.instruct(invoiceId, RETRY)).toBe(200);
    const under = [...holds.map(({ arrived }) => arrived), receiver.held()];
    const { running } = await runUntil(Promise.all(under));
    site.sandbox.renewNow(posted.subscriptionId);
    await acknowledge();
    // It has no time to make jobs of them.
    await site.plugin.query(
      `delete from payment_retry_jobs.job where name in ('take-events', 'process-event')`,
    );
    const undone = 'select count(*) > 0 as is_any from payment_retry.events where processed_at is null';
    expect(await site.plugin.query(undone)).toEqual([{ isAny: true }]);
    await site.plugin.kill();
    expect(await running).toBe('killed');
    const ofThis = () =>
      receiver.received
        .map(({ body }) => JSON.parse(body))
        .filter((told) => told.invoice === posted.invoiceId);
    expect(new Set(ofThis().map(({ id }) => id)).size).toBe(1);
    receiver.isSilent = false;
    // Stripe carries out one, and is still at work on the other when it is asked again.
    holds[0]?.release();
    await site.start();
    await site.settle();
    await site.pass({ minutes: 6 });
    expect(site.sandbox.state.invoices.get(asked.invoiceId)?.status).toBe('open');
    expect(payCalls(asked).map(({ status }) => status)).toContain(409);
    holds[1]?.release();
    await site.pass({ minutes: 15 }, { minutes: 1 });
    await site.pass({ hours: 12 }, { hours: 1 });
    for (const one of [...both, posted]) await expectPaidOnce(one);
    await expectNothingLost();
    expect(
      ofThis()
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['attempted', 'attempted', 'recovered']);
    expect(new Set(ofThis().map(({ id }) => id)).size).toBe(2);
    expect(await site.plugin.query('select id from payment_retry.host_events')).toEqual([]);
  });

  // `crash-points` ends a plugin at every call of these; only the process that dies is another.
  if (!IS_FULL_RUN) return;

  it('a killed plugin pays once when it died before it heard that Stripe had charged, and the event of it comes late', async () => {
    await instruct();
    const hold = site.sandbox.faults.hold('POST', PAY);
    await killDuring(hold.arrived);
    hold.release();
    await site.start();
    site.sandbox.webhookFaults.drop = 1;
    await site.pass({ minutes: 6 });
    site.sandbox.webhookFaults.drop = 0;
    await site.pass({ hours: 12 }, { hours: 1 });
    await expectPaidOnce();
    await expectNothingLost();
  });

  it('a killed plugin processes the events that it had acknowledged in their jobs', async () => {
    await acknowledge();
    await site.plugin.kill();
    await site.start();
    await site.settle();
    await expectNothingLost();
  });

  it('a killed plugin ends a subscription once when it died before it heard that it is canceled', async () => {
    await site.plugin.stop();
    const exclusive = { RETRY_MODE: 'exclusive', AFTER_GIVING_UP: 'cancel' };
    await site.start(exclusive);
    await site.settle();
    expect(await site.complete(renewal.invoiceId)).toBe(200);
    const hold = site.sandbox.faults.hold('DELETE', /^\/v1\/subscriptions\//);
    await killDuring(hold.arrived);
    hold.release();
    await site.start(exclusive);
    await site.pass({ minutes: 8 }, { minutes: 1 });
    expect(site.sandbox.state.subscriptions.get(renewal.subscriptionId)?.status).toBe('canceled');
    expect(await ofInvoice('kind', 'audit')).toEqual(
      [
        ...['invoice.taken_over', 'instruction.no_action', 'dunning.given_up', 'dunning.ended'],
        // That it ended: this site has no mail server.
        'email.undeliverable',
      ].map((kind) => ({ kind })),
    );
    expect(await ofInvoice('state', 'actions')).toEqual([{ state: 'done' }, { state: 'closed' }]);
    await site.plugin.stop();
    await site.start();
    await expectNothingLost();
  });

  it('a killed plugin processes the event that it was processing when it died', async () => {
    await site.sandbox.run();
    await killDuring(site.gate.swallow(/^\/v1\/invoice_payments/));
    await site.start();
    await site.pass({ minutes: 3 });
    await expectNothingLost();
  });

  it('a killed plugin carries out an instruction that it had accepted, once though it is sent again', async () => {
    await instruct();
    await site.plugin.kill();
    await site.start();
    await site.settle();
    expect(await site.instruct(renewal.invoiceId, RETRY)).toBe(200);
    await site.pass({ minutes: 3 });
    await expectPaidOnce();
    await expectNothingLost();
  });

  it('a killed plugin pays once when it died before its call reached Stripe', async () => {
    await instruct();
    await killDuring(site.gate.swallow(PAY));
    await site.start();
    await site.pass({ minutes: 6 });
    await expectPaidOnce();
    await expectNothingLost();
  });

  it('a killed plugin counts one attempt when it died before it heard that the charge was declined', async () => {
    renewal = await site.renewal((card) => acceptsFirst(1, declines('insufficient_funds', {}, card)));
    await instruct();
    const hold = site.sandbox.faults.hold('POST', PAY);
    await killDuring(hold.arrived);
    hold.release();
    await site.start();
    await site.pass({ minutes: 15 }, { minutes: 1 });
    const attempts = await ofInvoice('source, outcome, decline_code as code', 'attempts');
    const declined = { outcome: 'declined', code: 'insufficient_funds' };
    expect(attempts).toHaveLength(2);
    expect(attempts).toContainEqual({ source: 'stripe', ...declined });
    expect(attempts).toContainEqual({ source: 'ours', ...declined });
    expect(new Set(payCalls().map((call) => call.idempotencyKey)).size).toBe(1);
    expect(chargesOfInvoice()).toEqual(['failed', 'failed']);
    await expectNothingLost();
  });

  it('a killed plugin sends an email once that it had reserved and not sent', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const email = await startEmailCatcher();
    const from = { EMAIL_FROM: 'billing@merchant.example' };
    try {
      await site.plugin.stop();
      await site.start({ ...from, SMTP_URL: `smtp://127.0.0.1:${port}` });
      await instruct('ACTION_SUGGESTION_CARD_CHANGE');
      await killDuring(once(silent, 'connection'));
      await site.start({ ...from, SMTP_URL: email.url });
      const [reserved] = await ofInvoice('state, message_id as id', 'emails');
      expect(reserved).toEqual({ state: 'sending', id: expect.any(String) });
      await site.pass({ minutes: 6 });
      expect(email.emails.map(({ messageId }) => messageId)).toEqual([reserved?.id]);
      expect(await ofInvoice('state', 'emails')).toEqual([{ state: 'sent' }]);
      expect(await ofInvoice('state', 'actions')).toEqual([{ state: 'done' }]);
    } finally {
      silent.close();
      await email.stop();
    }
  });
});
