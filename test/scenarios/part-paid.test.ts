/** A payment is not a settled invoice: only the remaining amount ends a case (stripe-facts 3.15). Nor is a credit note a payment (3.16). */
import { readCounters } from '../../src/plugin/store/reports/counters.ts';
import { listFailures } from '../../src/plugin/store/reports/money/list-failures.ts';
import { refreshFailures } from '../../src/plugin/store/reports/money/refresh-failures.ts';
import {
  accepts,
  acceptsFirst,
  type CardInput,
  declines,
  requiresAuthentication,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { statusOf, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import { emailsTo } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: { retryMode: 'exclusive', afterGivingUp: 'cancel' } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const other = () => accepts({ brand: 'mastercard', last4: '4444' });
const textsTo = (mailbox: string) => emailsTo(world, mailbox).map(({ text }) => String(text));

/** As the process does, only more rarely: it also reads what the service has decided. */
async function live(days: number): Promise<void> {
  for (let day = 0; day < days; day += 5) {
    await world.advance({ days: 5 });
    await world.plugin.parts.requestActionsSync();
    await world.settle();
  }
}

/** A part that another card pays a day after the failure, and the rest of 2000. */
const PARTS = [
  { card: (own: CardInput) => declines('stolen_card', {}, own), part: 1, rest: '$19.99' },
  { card: (own: CardInput) => requiresAuthentication('decline', own), part: 650, rest: '$13.50' },
];

test('after a payment of a part the customer is asked for the rest, to the end, and never reads that nothing is owed', async () => {
  const casts = PARTS.map(({ card, part, rest }) => {
    const mailbox = `payer${part}`;
    return { part, rest, mailbox, paymentMethod: acceptsFirst(1, card({ fingerprint: mailbox })) };
  });
  const payers = await failList(world, casts, 'older');
  await world.advance({ days: 1 });
  for (const { customerId, invoiceId, part } of payers)
    world.sandbox.payPart(invoiceId, part, world.sandbox.attachCard(customerId, other()).id);
  await world.settle();
  await live(20);
  for (const { mailbox, rest, invoiceId } of payers) {
    const isAsked = textsTo(mailbox).map((text) => text.includes(rest));
    expect([mailbox, isAsked]).toEqual([mailbox, [false, true, true, true]]);
    expect([mailbox, statusOf(world, invoiceId)]).toEqual([mailbox, 'open']);
  }
  await live(10);
  for (const { mailbox, invoiceId } of payers) {
    const story = await storyOf(world, invoiceId);
    expect([mailbox, story]).toEqual([mailbox, expect.arrayContaining(['dunning.given_up'])]);
    expect([mailbox, story]).not.toEqual([mailbox, expect.arrayContaining(['invoice.handed_back'])]);
    expect(textsTo(mailbox).join('\n')).not.toMatch(/nothing (more )?is (due|owed)/i);
  }
});

test('an amount that a credit note takes off counts as recovered for nobody: a whole invoice is lost, of a part the rest is recovered', async () => {
  const lacksFunds = (fingerprint: string) => ({
    paymentMethod: acceptsFirst(1, declines('insufficient_funds', {}, { fingerprint })),
  });
  const payers = [lacksFunds('whole'), lacksFunds('part'), lacksFunds('mixed')] as const;
  const [whole, part, mixed] = await failList(world, payers, 'older');
  world.sandbox.createCreditNote(whole.invoiceId, { amount: 2000 });
  world.sandbox.createCreditNote(part.invoiceId, { amount: 800 });
  world.sandbox.payPart(mixed.invoiceId, 500, world.sandbox.attachCard(mixed.customerId, other()).id);
  await world.settle();
  for (const { invoiceId } of [part, mixed]) world.sandbox.payOutOfBand(invoiceId);
  await world.settle();
  const { database } = world.plugin.parts;
  await refreshFailures(database);
  const rows = await listFailures(database, {}, { sort: 'amount', limit: 3 });
  expect(rows.map(({ invoiceId, state, amount }) => [invoiceId, state, amount])).toEqual(
    expect.arrayContaining([
      [whole.invoiceId, 'lost', 2000],
      [part.invoiceId, 'recovered', 1200],
      [mixed.invoiceId, 'recovered', 2000],
    ]),
  );
  const counters = await readCounters(database);
  expect(counters.filter(({ name }) => name === 'recovered')).toMatchObject([{ total: 2, amount: 2700 }]);
});
