/** `invoices stop --also-stripe`, as docs/how-to/operations.md describes it: Stripe's own retries end, once, until the release. */

import { DateTime } from 'luxon';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { OPERATIONS } from '../../src/plugin/operator/operations/operations.ts';
import { EXACTLY } from '../../src/plugin/operator/text/describe-operation.ts';
import { exactMoment } from '../../src/plugin/operator/text/exact-moment.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate, say } from '../support/operate.ts';
import { actionsOf, failingInvoice, statusOf, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { startOtherwise } from './start-otherwise.ts';

const settings: OwnOptions = {};
let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true, sandbox: { stripeRetries: 'smart' }, plugin: settings });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const failing = () => failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
const isStripes = (invoice: string) => world.sandbox.state.invoices.get(invoice)?.auto_advance;
const writes = (invoice: string) =>
  world.sandbox.state.apiCalls.filter(
    ({ method, path }) => method === 'POST' && path === `/v1/invoices/${invoice}`,
  );

test('the preview says when Stripe would try; with the flag it tries no more, and a release gives it back', async () => {
  const { invoiceId: invoice } = await failing();
  const theirs = Number(world.sandbox.state.invoices.get(invoice)?.next_payment_attempt);
  const { will } = await OPERATIONS.stop.preview(world.plugin.parts.operations, { invoice });
  const when = exactMoment(DateTime.fromSeconds(theirs, { zone: 'utc' }));
  expect(will?.(EXACTLY)).toContain(`Stripe itself means to try at ${when}, and still will`);
  const told = await say(world, 'stop', { invoice, alsoStripe: true }, 'a plea');
  expect([told.code, told.text]).toEqual([0, expect.not.stringContaining('Stripe itself still')]);
  expect(await operate(world, 'stop', { invoice, alsoStripe: true })).toMatchObject({
    code: 'stopped_already',
  });
  await world.settle();
  expect([isStripes(invoice), writes(invoice).length]).toEqual([false, 1]);
  await world.advance({ days: 20 });
  expect(statusOf(world, invoice)).toBe('open');
  await operate(world, 'release', { invoice });
  await world.settle();
  expect([isStripes(invoice), writes(invoice).length]).toEqual([true, 2]);
  await world.advance({ days: 20 });
  expect(statusOf(world, invoice)).toBe('paid');
  expect(await storyOf(world, invoice)).toEqual(
    expect.arrayContaining(['invoice.taken_over', 'invoice.handed_back']),
  );
});

test('it is added to an earlier stop, and outlasts a Stripe that does not answer', async () => {
  const { invoiceId: invoice } = await failing();
  await operate(world, 'stop', { invoice });
  world.sandbox.faults.next('POST', `/invoices/${invoice}`, 'server_error_before', 5);
  expect(await operate(world, 'stop', { invoice, alsoStripe: true })).toMatchObject({ code: 'stopped' });
  await world.advance({ minutes: 30 });
  expect(isStripes(invoice)).toBe(false);
  expect((await storyOf(world, invoice)).filter((kind) => kind === 'invoice.taken_over')).toHaveLength(1);
});

test('retries that the merchant had switched off in Stripe stay off after the release', async () => {
  const { invoiceId: invoice } = await failing();
  const { url, secretKey } = world.sandbox;
  await fetch(`${url}/v1/invoices/${invoice}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}` },
    body: new URLSearchParams({ auto_advance: 'false' }),
  });
  await operate(world, 'stop', { invoice, alsoStripe: true });
  await world.settle();
  await operate(world, 'release', { invoice });
  await world.settle();
  expect([isStripes(invoice), writes(invoice).length]).toEqual([false, 1]);
  expect(await actionsOf(world, invoice)).toMatchObject([
    { kind: 'stripe_retries', state: 'done', reason: { code: 'stopped_by_person' } },
    { kind: 'stripe_retries', state: 'done', reason: { code: 'operator_asked' } },
  ]);
});

test('while everything is only observed, Stripe is not changed', async () => {
  await startOtherwise(world, settings, { retryMode: 'observe' });
  const { invoiceId: invoice } = await failing();
  await expect(operate(world, 'stop', { invoice, alsoStripe: true })).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
  });
});
