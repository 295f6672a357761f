/** Observe mode: everything but effects. What would have happened is written down. */
import { describeFinding } from '../../src/plugin/operator/checks/describe-finding.ts';
import { checkStored } from '../../src/plugin/operator/checks/stored-checks.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { captureLog } from '../support/log-lines.ts';
import { inFull } from '../support/runner/full-run.ts';
import { actionsOf, chargesOf, failingInvoice, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

const { logger, lines } = captureLog();
let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: { retryMode: 'observe', logger } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

function expectNoEffects(): void {
  expect(world.sandbox.state.apiCalls.filter(({ method }) => method !== 'GET')).toEqual([]);
  expect(world.email.emails).toEqual([]);
}

test('a due retry and a due email are written down, neither made nor sent; the start and doctor sum them up and say how to go on', async () => {
  const observed = async () => {
    const { config, parts } = world.plugin;
    const found = await checkStored({ config, database: parts.database });
    return found.filter(({ code }) => code === 'observe_mode').map(describeFinding);
  };
  const said = () => lines.filter((line) => line.includes('Observe mode: nothing is charged or emailed'));
  expect(said().at(-1)).toContain('"soFar":"nothing would have been done so far"');
  const retried = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  await world.advance({ days: 3 });
  expect(await storyOf(world, retried.invoiceId)).toEqual(
    expect.arrayContaining(['instruction.scheduled', 'observed.pay']),
  );
  expect((await actionsOf(world, retried.invoiceId))[0]).toMatchObject({
    state: 'done',
    reason: { code: 'payment_observed' },
  });
  expect(chargesOf(world, retried.invoiceId)).toEqual(['failed']);
  const emailed = await failingInvoice(world, acceptsFirst(1, declines('stolen_card')));
  await world.advance({ days: 1 });
  expect(await storyOf(world, emailed.invoiceId)).toContain('observed.email');
  expectNoEffects();
  const text = 'would have been done so far: 1 payment tried on 1 invoice ($20.00), 1 email sent';
  const next = 'to go on, set RETRY_MODE=advisory';
  expect(await observed()).toEqual([
    `ok       Observe mode: nothing is charged or emailed: ${text}; ${next}`,
  ]);
  await world.abandon().stop();
  await world.restart();
  expect(said().at(-1)).toContain(`"soFar":"${text}","help":"${next}"`);
});

inFull('a new card is noticed and nothing is charged', async () => {
  const { invoiceId, customerId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
  await world.settle();
  expect(await storyOf(world, invoiceId)).toContain('observed.pay');
  expect(chargesOf(world, invoiceId)).toEqual(['failed']);
  expectNoEffects();
});
