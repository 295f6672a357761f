/** `pause` and `resume`: no effect anywhere between the two, nothing that comes in is lost, and what waited follows the rules of its later moment. */
import { reportInvoice, reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import { pauseEffects } from '../../src/plugin/store/tables/retry/pauses.ts';
import { acceptsFirst, declines, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { say } from '../support/operate.ts';
import {
  actionsOf,
  attemptsOf,
  callBack,
  chargesOf,
  failingInvoice,
  instruct,
  instructionOf,
  payCalls,
  statusOf,
  storyOf,
  subscribe,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import { emailsTo } from './fail-together.ts';

let world: World;
afterEach(() => world.reset());

const said = (account = '*') => ({ account, reason: 'wrong prices', by: 'ada', at: world.clock.now() });
const pause = (account?: string) => say(world, 'pause', { account });
const resume = (account?: string) => say(world, 'resume', { account });
const status = () => reportStatus(world.plugin.parts.database, {}, world.clock.now());

const METRICS_TOKEN = 'metrics-token-for-tests-0123456789-abcdefgh';
const metrics = async () => {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  return (await fetch(`${world.url}/metrics`, { headers })).text();
};

/** What the plugin changed at Stripe. */
const writes = () => world.sandbox.state.apiCalls.filter(({ method }) => method !== 'GET');

describe('with a service elsewhere', () => {
  beforeAll(async () => {
    world = await createWorld({ isRemote: true, plugin: { metricsToken: METRICS_TOKEN } });
  });
  afterAll(() => world?.stop());

  test('a pause stops payments, emails and portal sessions, and everybody is told; everything is received, forwarded and planned, and happens afterwards', async () => {
    const card = () => acceptsFirst(1, declines('stolen_card'));
    const [paid, emailed, shown] = await failList(
      world,
      [
        { paymentMethod: declinesTimes(1, 'insufficient_funds', {}, { fingerprint: 'fp_own' }) },
        { paymentMethod: card(), mailbox: 'emailed' },
        { paymentMethod: card(), mailbox: 'shown' },
      ],
      'older',
    );
    await instruct(world, shown.invoiceId, 'CARD_CHANGE');
    const link = /https?:\/\/\S+card-update\/[^\s"<]+/.exec(String(world.email.emails[0]?.text))?.[0] ?? '';
    const press = () => fetch(link, { method: 'POST', redirect: 'manual' });
    expect((await press()).status).toBe(303);
    const asked = await instruct(world, paid.invoiceId, 'RETRY', world.clock.now().plus({ hours: 25 }));
    expect(await pause()).toMatchObject({ code: 0 });
    const mailed = world.email.emails.length;
    expect(await pause()).toMatchObject({ code: 3, text: expect.stringContaining('it was paused before') });
    expect((await press()).status).toBe(502);
    const request = { requestId: 'during_pause', invoiceId: emailed.invoiceId };
    const suggestion = {
      actionSuggestion: 'ACTION_SUGGESTION_CARD_CHANGE',
      idealRetryTime: world.clock.now(),
    };
    expect(await callBack(world, { ...request, ...suggestion })).toMatchObject({
      body: { message: expect.stringMatching(/^Not before the pause ends \(effects_paused\): Card update/) },
    });
    await world.settle();
    const before = writes().length;
    const late = await subscribe(world, declinesTimes(0, 'insufficient_funds'));
    await world.advance({ hours: 26 });
    // As every five minutes.
    await world.plugin.parts.requestCatchUp();
    await world.plugin.parts.requestActionsSync();
    await world.settle();
    await expectPauseTold(paid.invoiceId);
    await world.advance({ days: 2 });
    expect(writes()).toHaveLength(before);
    expect(world.email.emails).toHaveLength(mailed);
    expect(await instructionOf(world, asked)).toMatchObject({ state: 'scheduled' });
    expect(await actionsOf(world, emailed.invoiceId)).toMatchObject([{ state: 'scheduled' }]);
    expect(world.service.view.get(late.subscriptionId)).toBeDefined();

    expect(await resume()).toMatchObject({ code: 0 });
    expect(await resume()).toEqual({
      code: 3,
      text: 'Nothing changed: there was no pause of all accounts.',
    });
    await world.settle();
    expect(statusOf(world, paid.invoiceId)).toBe('paid');
    await world.advance({ hours: 24 });
    expect(emailsTo(world, 'emailed')).toHaveLength(1);
    expect((await status()).text).not.toContain('PAUSED');
    expect(await metrics()).not.toContain('payment_retry_paused{');
    expect(await (await fetch(`${world.url}/readyz`)).json()).toEqual({ status: 'ready' });
    const audit = await world.query(
      `select account, kind, detail from payment_retry.audit where starts_with(kind, 'effects.') order by id`,
    );
    expect(audit).toMatchObject([
      { account: '*', kind: 'effects.paused', detail: { by: 'ada', via: 'command', reason: 'wrong prices' } },
      { account: '*', kind: 'effects.resumed', detail: { by: 'ada' } },
    ]);
  });

  /** By status, the invoice, readiness and metrics: a payment and an email wait. */
  async function expectPauseTold(invoiceId: string): Promise<void> {
    const { code, text } = await status();
    expect(code).toBe(1);
    expect(text).toMatch(
      /^PAUSED \(.*until: resume\):\n.*for all accounts since .*\(ada: wrong prices\); 2 due action/,
    );
    const { database } = world.plugin.parts;
    const json = await reportStatus(database, { json: true }, world.clock.now());
    expect(JSON.parse(json.text)).toMatchObject({
      concerns: ['pausedEffects'],
      pausedEffects: [{ account: '*', pausedBy: 'ada', reason: 'wrong prices', waiting: 2 }],
    });
    expect((await reportInvoice(database, invoiceId, {})).text).toContain('`resume` ends that');
    expect(await (await fetch(`${world.url}/readyz`)).json()).toEqual({ status: 'ready', effects: 'paused' });
    expect(await metrics()).toContain('payment_retry_paused{account="*"} 1');
  }

  test('what waited during a pause is judged anew if it was paid meanwhile or was due longer ago than the horizon', async () => {
    const [first, second, third] = await failList(
      world,
      [
        { paymentMethod: declinesTimes(1, 'insufficient_funds') },
        { paymentMethod: declinesTimes(1, 'insufficient_funds') },
        { paymentMethod: acceptsFirst(1, declines('stolen_card')) },
      ],
      'older',
    );
    await pause();
    await instruct(world, first.invoiceId, 'RETRY', world.clock.now().plus({ days: 2 }));
    await instruct(world, second.invoiceId, 'RETRY', world.clock.now().plus({ days: 2 }));
    await instruct(world, third.invoiceId, 'CARD_CHANGE', world.clock.now().plus({ days: 2 }));
    await world.advance({ days: 3 });
    world.sandbox.payAsCustomer(first.invoiceId);
    await world.settle();
    await world.advance({ days: 60 });
    await resume();
    await world.settle();
    expect(payCalls(world, first.invoiceId)).toEqual([]);
    expect(await actionsOf(world, first.invoiceId)).toMatchObject([{ state: 'closed' }]);
    for (const { invoiceId } of [second, third]) {
      expect(await storyOf(world, invoiceId)).toEqual(
        expect.arrayContaining([expect.stringMatching(/guard.stopped|email.withheld/)]),
      );
      const [action] = await actionsOf(world, invoiceId);
      expect(action).toMatchObject({
        state: 'closed',
        reason: { code: 'past_horizon', days: 60 },
      });
    }
    expect(payCalls(world, second.invoiceId)).toEqual([]);
    expect(world.email.emails).toEqual([]);
  });

  test('during a pause a payment in the middle is settled by reading and not called again; one that never arrived at Stripe is made once, after the end', async () => {
    const short = (fingerprint: string) => ({
      paymentMethod: declinesTimes(1, 'insufficient_funds', {}, { fingerprint }),
    });
    const [middle, never] = await failList(world, [short('fp_middle'), short('fp_never')], 'older');
    const due = world.clock.now().plus({ hours: 25 });
    for (const [{ invoiceId }, fault] of [
      [middle, 'drop_after'],
      [never, 'drop_before'],
    ] as const) {
      await instruct(world, invoiceId, 'RETRY', due);
      world.sandbox.faults.next('POST', `/invoices/${invoiceId}/pay`, fault, 2);
    }
    await world.advance({ hours: 25 });
    await pause();
    // The connection was lost, and the SDK had asked once more.
    const calls = () => [middle, never].map(({ invoiceId }) => payCalls(world, invoiceId).length);
    expect(calls()).toEqual([2, 2]);
    await world.advance({ days: 3 });
    expect(calls()).toEqual([2, 2]);
    expect((await attemptsOf(world, middle.invoiceId)).map(({ outcome }) => outcome)).toEqual([
      'declined',
      'paid',
    ]);
    await resume();
    await world.advance({ minutes: 2 });
    for (const { invoiceId } of [middle, never])
      expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  });

  test('a pause between the claim of a payment and its call sends nothing', async () => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 25 }));
    const hold = world.sandbox.faults.hold('GET', new RegExp(`/invoices/${invoiceId}$`));
    const working = world.advance({ hours: 26 });
    await hold.arrived;
    await pause();
    hold.release();
    await working;
    await world.advance({ hours: 2 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect(await storyOf(world, invoiceId)).toContain('attempt.withheld');
    await resume();
    await world.settle();
    expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  });

  test('one account is paused alone', async () => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 25 }));
    expect(await pause('acct_typo')).toMatchObject({ code: 1 });
    const { database } = world.plugin.parts;
    await database.transaction((tx) => pauseEffects(tx, said('acct_other')));
    await pause('own');
    await world.advance({ hours: 26 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect(await resume('own')).toMatchObject({ code: 0, text: expect.stringContaining('acct_other') });
    await world.settle();
    expect(statusOf(world, invoiceId)).toBe('paid');
  });
});

describe('in exclusive mode', () => {
  beforeAll(async () => {
    world = await createWorld({
      isRemote: true,
      sandbox: { stripeRetries: 'smart' },
      plugin: { retryMode: 'exclusive', afterGivingUp: 'leave', handbackAfterDays: 2 },
    });
  });
  afterAll(() => world?.stop());

  const isAdvancing = (invoiceId: string) => world.sandbox.state.invoices.get(invoiceId)?.auto_advance;

  test('in exclusive mode, no invoice is taken over or handed back during a pause, by whomever, and then it is', async () => {
    await pause();
    const { invoiceId } = await failingInvoice(world, declinesTimes(9, 'insufficient_funds'));
    await world.advance({ hours: 1 });
    expect(isAdvancing(invoiceId)).toBe(true);
    await resume();
    await world.advance({ minutes: 6 });
    expect(isAdvancing(invoiceId)).toBe(false);
    await pause();
    await world.advance({ days: 3 });
    expect(await say(world, 'handBack')).toMatchObject({ code: 1, text: expect.stringContaining('paused') });
    expect(isAdvancing(invoiceId)).toBe(false);
    await resume();
    await world.advance({ minutes: 15 });
    expect(isAdvancing(invoiceId)).toBe(true);
  });
});
