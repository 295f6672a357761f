/** What a person does: once, by name, and by the rules that a service's instruction goes by. */
import { OPERATIONS } from '../../../../src/plugin/operator/operations/operations.ts';
import { EXACTLY } from '../../../../src/plugin/operator/text/describe-operation.ts';
import { countWork } from '../../../../src/plugin/store/reports/counters.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
} from '../../../../src/workbench/sandbox/payment-behaviour.ts';
import type { IngestRequest } from '../../../support/http/recording-service.ts';
import { ADA, operate, say } from '../../../support/operate.ts';
import {
  actionsOf,
  chargesOf,
  failingInvoice,
  instruct,
  payCalls,
  statusOf,
  storyOf,
  subscribe,
} from '../../../support/scenario.ts';
import { createWorld, type World } from '../../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const failing = () => failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
const auditOf = (kind: string) =>
  world.query<{ account: string; detail: object }>(
    'select account, detail from payment_retry.audit where kind = $1 order by id',
    [kind],
  );
const preview = async (invoice: string) =>
  (await OPERATIONS.retry.preview(world.plugin.parts.operations, { invoice })).objection;
const inDays = (days: number) => world.clock.now().plus({ days });

test('parameters that do not fit are refused, each by its name', async () => {
  await expect(operate(world, 'postpone', { invoice: 'in 1', until: 'soon' })).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
    message: expect.stringMatching(/invoice: .*until: /),
  });
  const nobody = { who: { name: '', via: 'command' }, reason: undefined } as const;
  await expect(OPERATIONS.resume.carryOut(world.plugin.parts.operations, nobody, {})).rejects.toMatchObject({
    message: expect.stringContaining('who.name'),
  });
});

test.each(['stop', 'release', 'retry', 'postpone', 'sendEmailAgain'] as const)(
  '%s does nothing for an invoice that nobody knows',
  async (name) => {
    const until = inDays(1).toISO();
    expect(await operate(world, name, { invoice: 'in_unknown', until })).toEqual({
      outcome: 'not_found',
      code: 'invoice_unknown',
      invoice: 'in_unknown',
    });
  },
);

describe('retry now', () => {
  test('retry now charges once, however often it is asked for, in the name of the person', async () => {
    const { invoiceId: invoice } = await failing();
    await world.advance({ hours: 25 });
    expect(await preview(invoice)).toBeUndefined();
    const { will } = await OPERATIONS.retry.preview(world.plugin.parts.operations, { invoice });
    expect(will?.(EXACTLY)).toMatch(
      /^Charge \$20\.00 to Visa\u00a0••••\u00a0\d{4} of .* now; 1 of \d+ attempts used$/,
    );
    const results = await Promise.all([1, 2, 3].map(() => operate(world, 'retry', { invoice }, 'he called')));
    expect(results.map(({ code }) => code).sort()).toEqual([
      'retry_planned',
      'retry_planned_already',
      'retry_planned_already',
    ]);
    await world.settle();
    expect([statusOf(world, invoice), payCalls(world, invoice).length]).toEqual(['paid', 1]);
    expect(await auditOf('operator.retried')).toMatchObject([
      { account: 'own', detail: { by: 'ada', via: 'command', note: 'he called' } },
    ]);
    expect(await operate(world, 'retry', { invoice })).toMatchObject({
      outcome: 'refused',
      code: 'guard_objects',
      reason: { code: 'invoice_status', status: 'paid' },
    });
  });

  test('retry now says which guard would refuse, also while everything is paused, and is judged again when it is carried out', async () => {
    const { invoiceId: invoice } = await failing();
    expect(await preview(invoice)).toMatchObject({ guard: 'network_limits' });
    const { code, text } = await say(world, 'retry', { invoice });
    expect([code, text]).toEqual([
      1,
      expect.stringMatching(/nothing was done.*guard network_limits.*possible from/),
    ]);
    await operate(world, 'stop', { invoice }, 'a plea');
    await world.advance({ hours: 25 });
    expect(await preview(invoice)).toEqual({
      guard: 'stopped',
      reason: { code: 'stopped_by_person', note: 'a plea' },
      follows: { bindsStripe: true, forNewCard: { asksPerson: true } },
    });
    await operate(world, 'release', { invoice });
    await operate(world, 'pause');
    expect(await operate(world, 'retry', { invoice })).toMatchObject({
      reason: { code: 'effects_paused' },
    });
    expect(await actionsOf(world, invoice)).toEqual([]);
    await operate(world, 'resume');
    expect(await operate(world, 'retry', { invoice })).toMatchObject({ code: 'retry_planned' });
    world.sandbox.voidInvoice(invoice);
    await world.settle();
    expect(payCalls(world, invoice)).toEqual([]);
  });
});

describe('postpone', () => {
  test('postpone takes no time that is past or far away, moves what is planned, holds back what the service asks later, and lets it happen then', async () => {
    const { invoiceId: invoice } = await failing();
    await world.advance({ hours: 25 });
    for (const [days, code] of [
      [-1, 'not_in_the_future'],
      [91, 'too_far_away'],
    ] as const)
      expect(await operate(world, 'postpone', { invoice, until: inDays(days).toISO() })).toMatchObject({
        code,
      });
    await instruct(world, invoice, 'RETRY', inDays(1));
    const until = inDays(3);
    const asked = () => operate(world, 'postpone', { invoice, until: until.toISO() }, 'pays on Friday');
    expect(await asked()).toMatchObject({
      outcome: 'changed',
      moved: 1,
      until: until.toISO(),
    });
    expect(await asked()).toMatchObject({ outcome: 'unchanged', code: 'postponed_already' });
    await world.advance({ days: 2 });
    await instruct(world, invoice, 'RETRY');
    await instruct(world, invoice, 'CARD_CHANGE');
    await instruct(world, invoice, 'RETRY');
    await world.advance({ hours: 20 });
    expect([payCalls(world, invoice), world.email.emails]).toEqual([[], []]);
    expect((await actionsOf(world, invoice)).at(-1)).toMatchObject({
      state: 'scheduled',
      dueAt: until,
      reason: { code: 'postponed_by_person', note: 'pays on Friday' },
    });
    await world.advance({ hours: 5 });
    expect(statusOf(world, invoice)).toBe('paid');
  });

  test('postpone does not hold back the card that the customer gives, nor what a person asks for', async () => {
    const first = await failing();
    const own = { fingerprint: 'fp_own' };
    const second = await failingInvoice(world, declinesTimes(1, 'insufficient_funds', {}, own));
    await world.advance({ hours: 25 });
    for (const { invoiceId: invoice } of [first, second])
      await operate(world, 'postpone', { invoice, until: inDays(5).toISO() });
    world.sandbox.changeDefaultCard(first.customerId, accepts());
    await operate(world, 'retry', { invoice: second.invoiceId });
    await world.settle();
    expect([first, second].map(({ invoiceId }) => statusOf(world, invoiceId))).toEqual(['paid', 'paid']);
  });
});

describe('send the email again', () => {
  test('an email that is sent again goes out once more at any hour, and not twice for two clicks', async () => {
    const { invoiceId: invoice } = await failingInvoice(world, acceptsFirst(1, declines('stolen_card')));
    expect(await operate(world, 'sendEmailAgain', { invoice })).toMatchObject({ code: 'no_email_before' });
    await instruct(world, invoice, 'CARD_CHANGE');
    await world.advance({ hours: 15 });
    expect(world.email.emails).toHaveLength(1);
    const ask = () => operate(world, 'sendEmailAgain', { invoice });
    const codes = (await Promise.all([ask(), ask()])).map(({ code }) => code);
    await world.settle();
    expect([...codes, (await ask()).code].sort()).toEqual([
      'email_planned',
      'email_sent_just_now',
      'email_sent_just_now',
    ]);
    expect(world.email.emails).toHaveLength(2);
    expect(await auditOf('operator.emailed')).toMatchObject([
      { detail: { template: 'card_update', by: 'ada' } },
    ]);
    await operate(world, 'stop', { invoice });
    await world.advance({ hours: 1 });
    expect(await ask()).toMatchObject({ code: 'guard_objects', guard: 'stopped' });
  });
});

describe('release', () => {
  test('a release ends a postponement; a second one changes nothing until something new stands against the invoice', async () => {
    const { invoiceId: invoice, subscriptionId } = await failing();
    await world.advance({ hours: 1 });
    await operate(world, 'postpone', { invoice, until: inDays(5).toISODate() });
    const release = async () => (await operate(world, 'release', { invoice })).code;
    expect(await release()).toBe('released');
    await world.advance({ hours: 1 });
    expect(await release()).toBe('released_already');
    world.sandbox.cancelSubscription(subscriptionId);
    await world.advance({ hours: 1 });
    expect(await release()).toBe('released');
    await instruct(world, invoice, 'RETRY', inDays(1));
    await world.advance({ days: 2 });
    expect(chargesOf(world, invoice)).toEqual(['failed', 'succeeded']);
    expect(await storyOf(world, invoice)).toEqual(expect.arrayContaining(['operator.released']));
  });
});

test('a refused record that is dismissed needs nobody, and goes out when it changes', async () => {
  const { subscriptionId } = await subscribe(world, accepts());
  const carries = (request: IngestRequest) => request.records.some(({ id }) => id === subscriptionId);
  const refusal = { status: 422, body: { message: 'no such plan' } };
  world.service.answer = (request) => (carries(request) ? refusal : undefined);
  world.sandbox.updateSubscription(subscriptionId, { metadata: { business_entity: 'Wrong' } });
  await world.settle();
  const records = [subscriptionId, 'sub_other'];
  expect(await operate(world, 'dismiss', { records })).toEqual({
    outcome: 'changed',
    code: 'dismissed',
    dismissed: [subscriptionId],
    left: ['sub_other'],
  });
  expect(await countWork(world.plugin.parts.database)).toContainEqual({
    table: 'subscriptions',
    state: 'dismissed',
    count: 1,
  });
  expect(await operate(world, 'dismiss', { records })).toMatchObject({ outcome: 'unchanged' });
  expect(await operate(world, 'replay', { refused: true })).toMatchObject({ outcome: 'unchanged' });
  expect(await auditOf('operator.dismissed')).toMatchObject([
    { detail: { refused: { count: 1, ids: [subscriptionId] }, by: ADA.name } },
  ]);
  world.service.answer = () => undefined;
  await world.advance({ hours: 1 });
  world.sandbox.cancelSubscription(subscriptionId);
  await world.settle();
  expect(world.service.view.get(subscriptionId)).toMatchObject({ state: 'SUBSCRIPTION_STATE_CANCELED' });
});
