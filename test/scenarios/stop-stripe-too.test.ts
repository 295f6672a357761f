/** `invoices stop --also-stripe`, as docs/how-to/operations.md describes it: Stripe's own retries end, once, until the release. */

import { DateTime } from 'luxon';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { OPERATIONS } from '../../src/plugin/operator/operations/operations.ts';
import { EXACTLY } from '../../src/plugin/operator/text/describe-operation.ts';
import { exactMoment } from '../../src/plugin/operator/text/exact-moment.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate, say } from '../support/operate.ts';
import { actionsOf, statusOf, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import { startOtherwise } from './start-otherwise.ts';

const settings: OwnOptions = {};
let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true, sandbox: { stripeRetries: 'smart' }, plugin: settings });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const short = (fingerprint: string) => ({
  paymentMethod: declinesTimes(1, 'insufficient_funds', {}, { fingerprint }),
});
const isStripes = (invoice: string) => world.sandbox.state.invoices.get(invoice)?.auto_advance;
const writes = (invoice: string) =>
  world.sandbox.state.apiCalls.filter(
    ({ method, path }) => method === 'POST' && path === `/v1/invoices/${invoice}`,
  );

test('the preview says when Stripe would try; with the flag, also added to an earlier stop or while Stripe does not answer, it tries no more, and a release gives back what the merchant had not switched off', async () => {
  const { sandbox } = world;
  const [{ invoiceId: invoice }, { invoiceId: added }, { invoiceId: off }] = await failList(
    world,
    [short('flagged'), short('added'), short('off')],
    'older',
  );
  const theirs = Number(sandbox.state.invoices.get(invoice)?.next_payment_attempt);
  const { will } = await OPERATIONS.stop.preview(world.plugin.parts.operations, { invoice });
  const when = exactMoment(DateTime.fromSeconds(theirs, { zone: 'utc' }));
  expect(will?.(EXACTLY)).toContain(`Stripe itself means to try at ${when}, and still will`);
  const told = await say(world, 'stop', { invoice, alsoStripe: true }, 'a plea');
  expect([told.code, told.text]).toEqual([0, expect.not.stringContaining('Stripe itself still')]);
  expect(await operate(world, 'stop', { invoice, alsoStripe: true })).toMatchObject({
    code: 'stopped_already',
  });

  await operate(world, 'stop', { invoice: added });
  sandbox.faults.next('POST', `/invoices/${added}`, 'server_error_before', 5);
  expect(await operate(world, 'stop', { invoice: added, alsoStripe: true })).toMatchObject({
    code: 'stopped',
  });

  await fetch(`${sandbox.url}/v1/invoices/${off}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.secretKey}` },
    body: new URLSearchParams({ auto_advance: 'false' }),
  });
  await operate(world, 'stop', { invoice: off, alsoStripe: true });
  await world.settle();
  await operate(world, 'release', { invoice: off });
  await world.settle();
  expect([isStripes(off), writes(off).length]).toEqual([false, 1]);
  expect(await actionsOf(world, off)).toMatchObject([
    { kind: 'stripe_retries', state: 'done', reason: { code: 'stopped_by_person' } },
    { kind: 'stripe_retries', state: 'done', reason: { code: 'operator_asked' } },
  ]);

  expect([isStripes(invoice), writes(invoice).length]).toEqual([false, 1]);
  await world.advance({ minutes: 30 });
  expect(isStripes(added)).toBe(false);
  expect((await storyOf(world, added)).filter((kind) => kind === 'invoice.taken_over')).toHaveLength(1);
  await world.advance({ days: 5 });
  expect(statusOf(world, invoice)).toBe('open');
  await operate(world, 'release', { invoice });
  await world.settle();
  expect([isStripes(invoice), writes(invoice).length]).toEqual([true, 2]);
  await world.advance({ days: 8 });
  expect(statusOf(world, invoice)).toBe('paid');
  expect(await storyOf(world, invoice)).toEqual(
    expect.arrayContaining(['invoice.taken_over', 'invoice.handed_back']),
  );
});

test('while everything is only observed, Stripe is not changed', async () => {
  await startOtherwise(world, settings, { retryMode: 'observe' });
  const [{ invoiceId: invoice }] = await failList(world, [short('observed')], 'older');
  await expect(operate(world, 'stop', { invoice, alsoStripe: true })).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
  });
});
