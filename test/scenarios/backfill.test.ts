/** What existed before the plugin did, and what no event can heal. */
import { reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import { findLastReport } from '../../src/plugin/store/reports/backfill-report.ts';
import { listFailures } from '../../src/plugin/store/reports/money/list-failures.ts';
import { refreshFailures } from '../../src/plugin/store/reports/money/refresh-failures.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import {
  actionsOf,
  attemptsOf,
  failingInvoice,
  payCalls,
  renew,
  statusOf,
  subscribe,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { type ByName, failTogether } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ sandbox: { stripeRetries: 'off' } });
  // The look at Stripe's events that every start asks for finds nothing.
  await world.settle();
});
afterAll(() => world?.stop());
const failsLater = () => acceptsFirst(1, declines('insufficient_funds'));

async function backfill(): Promise<void> {
  await world.plugin.parts.requestBackfill();
  await world.settle();
}

const lastReport = () => findLastReport(world.plugin.parts.database, 'own');

const told = (kind: string) =>
  world.query<{ id: string; state: string }>(`select id, state from retry_service.${kind} order by id`);

/** As before the installation: Stripe's events reach nobody, and are not asked for. */
const loseEvents = () => void Object.assign(world.sandbox.webhookFaults, { drop: 1 });

describe('what Stripe had before the installation', () => {
  const lacksMoney = (last4: string) => acceptsFirst(1, declines('insufficient_funds', {}, { last4 }));
  const CARDS = {
    ...{ paying: accepts({ last4: '1001' }), ended: accepts({ last4: '1002' }), failing: lacksMoney('1003') },
    ...{ recovered: lacksMoney('1004'), outside: lacksMoney('1005') },
    ...{ denied: lacksMoney('1006'), open: lacksMoney('1007') },
    ...{ warned: lacksMoney('1008'), won: lacksMoney('1009') },
    tried: declinesTimes(1, 'insufficient_funds', {}, { last4: '1010' }),
  };
  let of: ByName<keyof typeof CARDS>;
  let cardless = '';
  let disputes: string[] = [];
  const owners = new Map<string, string>();
  let looks: Awaited<ReturnType<typeof look>>[] = [];

  function chargeOf(name: keyof typeof CARDS): string {
    const { customerId: key } = of(name);
    const charges = [...world.sandbox.state.charges.newestFirst({ index: 'customer', key })];
    return charges.find(({ status }) => status === 'succeeded')?.id ?? '';
  }

  async function arrange(): Promise<void> {
    const { sandbox } = world;
    const { customerId, subscriptionId } = await subscribe(world, accepts());
    const card = sandbox.state.customers.get(customerId)?.invoice_settings.default_payment_method;
    sandbox.detachCard(String(card));
    cardless = await renew(world, subscriptionId);
    for (const id of [customerId, subscriptionId, cardless]) owners.set(id, 'cardless');
    const { id: customer } = sandbox.createCustomer({ email: 'new@example.com' });
    const begun = sandbox.createSubscription({ customer, items: [{ price: sandbox.createPrice().id }] });
    for (const id of [customer, begun.id]) owners.set(id, 'begun');
    await world.advance({ days: 2 });

    of = await failTogether(world, CARDS);
    for (const name of Object.keys(CARDS) as (keyof typeof CARDS)[])
      for (const id of Object.values(of(name))) owners.set(id, name);
    sandbox.cancelSubscription(of('ended').subscriptionId);
    sandbox.payOutOfBand(of('recovered').invoiceId);
    const { invoiceId } = of('outside');
    const owed = sandbox.state.invoices.get(invoiceId)?.amount_remaining ?? 0;
    sandbox.recordPart(invoiceId, 700);
    sandbox.recordPart(invoiceId, owed - 700);
    const denied = sandbox.disputeCharge(chargeOf('denied'), 'fraudulent');
    const open = sandbox.disputeCharge(chargeOf('open'), 'product_not_received');
    for (const name of ['warned', 'won'] as const) sandbox.warnOfFraud(chargeOf(name));
    const { id: answered } = sandbox.disputeCharge(chargeOf('won'), 'fraudulent');
    sandbox.answerDispute(answered);
    sandbox.closeDispute(answered, 'won');
    disputes = [denied.id, open.id, answered];
    const other = declines('stolen_card', {}, { brand: 'mastercard', last4: '4444' });
    expect(() => sandbox.payAsCustomer(of('tried').invoiceId, other)).toThrow();
    await world.settle();
  }

  /** What a run found, and what is known after it. */
  async function look() {
    return {
      kinds: (await lastReport())?.kinds ?? [],
      versions: await world.query(
        'select id, updated_at from retry_service.subscriptions union select id, updated_at from retry_service.invoices union select id, updated_at from retry_service.transactions order by id',
      ),
      transactions: await told('transactions'),
      attempts: await world.query(
        'select id, invoice_id, source, outcome from payment_retry.attempts order by id',
      ),
      disputes: await world.query<{ id: string }>(
        'select id, status, opened_at from payment_retry.disputes order by opened_at, id',
      ),
      warnings: await world.query('select charge_id from payment_retry.card_warnings order by 1'),
    };
  }

  beforeAll(async () => {
    loseEvents();
    await arrange();
    expect(await told('subscriptions')).toEqual([]);
    await backfill();
    looks = [await look()];
    await world.advance({ minutes: 1 });
    await backfill();
    looks.push(await look());
  });
  afterAll(() => world.reset());

  test('recovery starts for what was failing before the installation, and for nothing else', async () => {
    const { invoiceId } = of('failing');
    const ownerOf = ({ id }: { id: string }) => owners.get(id) ?? id;
    const toldOf = async (kind: string) =>
      Object.fromEntries((await told(kind)).map((one) => [ownerOf(one), one.state]));
    const active = ['cardless', ...Object.keys(CARDS)].map((name) => [name, 'SUBSCRIPTION_STATE_ACTIVE']);
    const ended = ['ended', 'begun'].map((name) => [name, 'SUBSCRIPTION_STATE_CANCELED']);
    expect(await toldOf('subscriptions')).toEqual(Object.fromEntries([...active, ...ended]));
    const paid = ['paying', 'recovered', 'ended'].map((name) => [name, 'INVOICE_STATE_PAID']);
    const invoices = { ...Object.fromEntries(paid), failing: 'INVOICE_STATE_UNPAID' };
    expect(await toldOf('invoices')).toMatchObject(invoices);
    const ownersIn = async (sql: string) => (await world.query<{ id: string }>(sql)).map(ownerOf).toSorted();
    const owing = ['cardless', 'denied', 'failing', 'open', 'tried', 'warned', 'won'];
    expect(await ownersIn('select invoice_id as id from retry_service.cases')).toEqual(owing);
    expect(await attemptsOf(world, invoiceId)).toMatchObject([{ source: 'stripe', outcome: 'declined' }]);
    expect(await actionsOf(world, invoiceId)).toMatchObject([{ kind: 'pay', state: 'scheduled' }]);
    expect(await actionsOf(world, of('recovered').invoiceId)).toEqual([]);
    expect(statusOf(world, invoiceId)).toBe('open');
    // People find it as they know it: by name, plan and the digits of the card. Of those who pay without trouble none is kept.
    const { database } = world.plugin.parts;
    await refreshFailures(database);
    const shown = await listFailures(database, { search: 'ada' }, { sort: 'failed', limit: 20 });
    expect(shown.find((one) => one.invoiceId === invoiceId)).toMatchObject({
      customerName: 'Ada Example',
      customerEmail: 'failing@example.com',
      planName: 'Plan',
      last4: '1003',
    });
    expect(await ownersIn('select id from payment_retry.customers')).toEqual(['begun', ...owing]);
  });

  test('a second run finds everything equal and sends nothing', () => {
    const [first, second] = looks;
    const kinds = ['subscriptions', 'invoices', 'transactions'];
    expect(second?.kinds).toMatchObject(kinds.map((kind) => ({ kind, added: 0, repaired: 0 })));
    expect({ ...second, kinds: first?.kinds }).toEqual(first);
    expect(first?.kinds[2]).toMatchObject({ kind: 'transactions', added: first?.transactions.length });
  });

  test('a renewal that failed without a card before the installation leads to a card request', async () => {
    const ours = looks[0]?.transactions.filter(({ id }) => id.startsWith('in_'));
    const id = `${cardless}_attempt_1_missing_payment_method`;
    expect(ours).toEqual([{ id, state: 'TRANSACTION_STATE_FAILED' }]);
    expect(await actionsOf(world, cardless)).toMatchObject([{ kind: 'card_update_email' }]);
  });

  test('what was paid outside of Stripe before the installation counts as a payment, once', async () => {
    const attempts = await attemptsOf(world, of('outside').invoiceId);
    expect(attempts.map(({ source, outcome }) => `${source} ${outcome}`).toSorted()).toEqual([
      'stripe declined',
      'stripe paid',
      'stripe paid',
    ]);
    const recorded = looks[0]?.transactions.filter(({ id }) => id.startsWith('par_'));
    expect(recorded?.map(({ state }) => state)).toEqual(['TRANSACTION_STATE_PAID', 'TRANSACTION_STATE_PAID']);
  });

  test('who disputed a payment before the installation is not charged: the card if it was denied or warned of, else the payer until it ends; another card that was tried once ends nothing', async () => {
    const messages = await world.query(
      `select message->>'cardBrand' as card, (message->>'isOtherMethod')::boolean as is_other
       from payment_retry.attempts where invoice_id = $1 order by card`,
      [of('tried').invoiceId],
    );
    expect(messages).toEqual([
      { card: 'mastercard', isOther: true },
      { card: 'visa', isOther: null },
    ]);
    expect(looks[0]?.disputes.map(({ id }) => id)).toEqual(disputes);
    // A denied payment that was warned of has both.
    const warned = (['denied', 'warned', 'won', 'won'] as const).map(chargeOf);
    expect(looks[0]?.warnings).toEqual(warned.map((chargeId) => ({ chargeId })));
    await world.advance({ days: 4 });
    expect(statusOf(world, of('tried').invoiceId)).toBe('paid');
    const charged = (['denied', 'open', 'warned', 'won'] as const).map(
      (name) => payCalls(world, of(name).invoiceId).length > 0,
    );
    expect(charged).toEqual([false, false, false, true]);
  });
});

describe('later', () => {
  beforeEach(loseEvents);
  afterEach(() => world.reset());

  test('after forty days without events a reconciliation begins by itself and repairs what they cannot', async () => {
    world.sandbox.webhookFaults.drop = 0;
    const ending = await failingInvoice(world, failsLater());
    const settled = await failingInvoice(world, failsLater());
    const deleted = await subscribe(world, accepts());
    await world.plugin.parts.requestCatchUp();
    await world.settle();
    const [payment] = await actionsOf(world, settled.invoiceId);
    expect(payment).toMatchObject({ kind: 'pay', state: 'scheduled' });

    await world.plugin.stop();
    world.sandbox.webhookFaults.drop = 1;
    world.sandbox.cancelSubscription(ending.subscriptionId);
    world.sandbox.payOutOfBand(settled.invoiceId);
    const unknown = await begin();
    await world.clock.set(world.clock.now().plus({ days: 40 }));
    await world.sandbox.run();
    await world.plugin.start();
    await world.settle();

    const report = await lastReport();
    expect(report).toMatchObject({ kind: 'reconciliation', reason: null });
    expect(report?.finishedAt).not.toBeNull();
    // Those of the tests before are listed as well.
    expect(report?.kinds[0]?.read).toBe(world.sandbox.state.subscriptions.size);
    expect(report?.kinds[0]?.added).toBeGreaterThanOrEqual(1);
    expect(report?.kinds[0]?.repaired).toBeGreaterThanOrEqual(1);
    const states = new Map((await told('subscriptions')).map(({ id, state }) => [id, state]));
    expect(states.get(ending.subscriptionId)).toBe('SUBSCRIPTION_STATE_CANCELED');
    expect(states.get(deleted.subscriptionId)).toBe('SUBSCRIPTION_STATE_ACTIVE');
    expect(states.get(unknown)).toBe('SUBSCRIPTION_STATE_ACTIVE');
    const invoices = new Map((await told('invoices')).map(({ id, state }) => [id, state]));
    expect(invoices.get(settled.invoiceId)).toBe('INVOICE_STATE_PAID');
    for (const { invoiceId } of [ending, settled])
      expect((await actionsOf(world, invoiceId)).map(({ state }) => state)).not.toContain('scheduled');
  });

  /** A subscription that begins while the plugin is stopped. */
  async function begin(): Promise<string> {
    const { id: customer } = world.sandbox.createCustomer({ paymentMethod: accepts() });
    const { id: price } = world.sandbox.createPrice({ unit_amount: 2000 });
    return world.sandbox.createSubscription({ customer, items: [{ price, quantity: 1 }] }).id;
  }

  inFull('an open invoice older than the months of the run is read on its own', async () => {
    world.sandbox.webhookFaults.drop = 0;
    const old = await failingInvoice(world, failsLater());
    await world.settle();
    world.sandbox.webhookFaults.drop = 1;
    await world.clock.set(world.clock.now().plus({ days: 20 }));
    world.sandbox.payOutOfBand(old.invoiceId);
    await world.clock.set(world.clock.now().plus({ days: 20 }));
    await world.plugin.parts.requestBackfill(1);
    await world.settle();
    const [row] = await world.query<{ status: string }>(
      'select status from payment_retry.invoices where id = $1',
      [old.invoiceId],
    );
    expect(row?.status).toBe('paid');
  });

  inFull('Stripe refusing a page is no success: the run goes on after its pause and is whole', async () => {
    const { subscriptionId } = await subscribe(world, accepts());
    world.sandbox.faults.next('GET', '/subscriptions', 'rate_limit', 2);
    await backfill();
    expect(await lastReport()).toMatchObject({
      finishedAt: null,
      reason: { code: 'stripe_answered', status: 429 },
    });
    const status = () => reportStatus(world.plugin.parts.database, {}, world.clock.now());
    expect((await status()).text).toMatch(
      /account own, backfill of .*: incomplete, 0 subscriptions read so far, .*429/,
    );
    const stuck = await reportStatus(world.plugin.parts.database, {}, world.clock.now().plus({ hours: 2 }));
    expect(stuck).toMatchObject({ code: 1, text: expect.stringContaining('it has not moved for an hour') });
    await world.advance({ minutes: 1 });
    expect((await lastReport())?.finishedAt).not.toBeNull();
    const listed = world.sandbox.state.subscriptions.size;
    expect(await status()).toMatchObject({
      code: 0,
      text: expect.stringContaining(`Stripe has ${listed} subscriptions, ${listed} are delivered; `),
    });
    expect((await told('subscriptions')).map(({ id }) => id)).toContain(subscriptionId);
  });
});
