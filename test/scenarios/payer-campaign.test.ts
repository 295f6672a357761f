/** A customer who owes several invoices is asked once, for all of them. */
import type { DateTime } from 'luxon';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { accepts, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import { instruct, renew, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { addressOf, emailsTo } from './fail-together.ts';
import { startOtherwise, toRemote } from './start-otherwise.ts';

const settings: OwnOptions = {};
let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: settings });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const stolen = (fingerprint: string) => declines('stolen_card', {}, { last4: '9979', fingerprint });
const plain = (text: string | undefined) => (text ?? '').replaceAll('\u00a0', ' ');
const emailed = () => world.email.emails.length;
const pageOf = async (text: string | undefined) => {
  const link = /https?:\S+card-update\S+/.exec(text ?? '')?.[0] ?? '';
  return plain(await (await fetch(link)).text());
};

/** A payer with a plan of each amount, all on one card that fails at the next renewal. */
function payerOf(amounts: readonly [number, ...number[]], name = 'ada') {
  const customer = { email: addressOf(name), country: 'DE', paymentMethod: stolen(name) };
  const { id: customerId } = world.sandbox.createCustomer(customer);
  return { customerId, subscriptionIds: amounts.map((amount) => addPlan(customerId, amount)) };
}

function addPlan(customer: string, amount: number, currency = 'usd'): string {
  const price = world.sandbox.createPrice({ unit_amount: amount, currency });
  return world.sandbox.importSubscription({ customer, items: [{ price: price.id }] }).id;
}

async function renewAll(subscriptionIds: readonly string[]): Promise<string[]> {
  const invoices = subscriptionIds.map((id) => world.sandbox.renewNow(id).id);
  await world.settle();
  return invoices;
}

describe('with the embedded service', () => {
  test('invoices that fail on one morning are asked for in one email each step, with the sum, and one new card pays all within the hour; what was paid meanwhile is named no more, in the emails and on the page', async () => {
    const { customerId, subscriptionIds } = payerOf([2000, 2000, 500]);
    const other = payerOf([2000, 500], 'other');
    const [paid = '', open = '', ...invoices] = await renewAll([
      ...other.subscriptionIds,
      ...subscriptionIds,
    ]);
    const [own, theirs] = [() => emailsTo(world, 'ada'), () => emailsTo(world, 'other')];
    expect([own().length, theirs().length]).toEqual([1, 1]);
    const text = plain(own()[0]?.text);
    for (const part of ['$45.00', '$20.00', '$5.00', 'One new card pays all of them.'])
      expect(text).toContain(part);
    const page = await pageOf(text);
    for (const part of ['$45.00', '$20.00', '$5.00']) expect(page).toContain(part);
    const before = plain(theirs()[0]?.text);
    world.sandbox.payOutOfBand(paid);
    await world.settle();
    expect(await pageOf(before)).toContain('$5.00');
    expect(await pageOf(before)).not.toContain('$20.00');
    await world.advance({ days: 3 });
    expect(theirs()).toHaveLength(2);
    expect(plain(theirs()[1]?.subject)).toMatch(/^Reminder: .*\$5\.00/);
    expect(plain(theirs()[1]?.text)).not.toContain('$20.00');
    world.sandbox.voidInvoice(open);
    await world.advance({ days: 13 });
    expect(own().map(({ subject }) => subject?.split(':')[0])).toEqual([
      expect.stringMatching(/^Update your card for /),
      'Reminder',
      'Reminder',
      'Last reminder',
    ]);
    world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
    await world.advance({ minutes: 22 });
    expect(invoices.map((id) => statusOf(world, id))).toEqual(invoices.map(() => 'paid'));
    const rows = await world.query<{ named: string[] }>('select named from payment_retry.emails');
    const ofThem = rows.filter(({ named }) => named.some((id) => invoices.includes(id)));
    expect(ofThem).toHaveLength(4);
    for (const { named } of ofThem) expect([...named].sort()).toEqual([...invoices].sort());
  });

  inFull('a later failure joins the reminders that run already', async () => {
    const { subscriptionIds } = payerOf([2000, 500]);
    const [first = '', second = ''] = subscriptionIds;
    await renew(world, first);
    expect(emailed()).toBe(1);
    await world.advance({ days: 1 });
    await renew(world, second);
    expect(emailed()).toBe(1);
    await world.advance({ days: 2 });
    expect([emailed(), plain(world.email.emails[1]?.subject)]).toEqual([
      2,
      expect.stringMatching(/^Reminder: .*\$25\.00/),
    ]);
    await world.advance({ days: 25 });
    expect(emailed()).toBe(4);
  });
});

describe('with a remote service', () => {
  beforeAll(() => startOtherwise(world, settings, toRemote(world)));

  test('whatever a service asks, a payer is asked on the days for reminders, for everything, summed by currency', async () => {
    const { customerId, subscriptionIds } = payerOf([2000, 500]);
    const euros = addPlan(customerId, 900, 'eur');
    const invoices = await renewAll([...subscriptionIds, euros]);
    const begin = world.clock.now();
    // About all of them on the days for reminders, about one on some between.
    for (const [index, day] of [0, 1, 3, 5, 6, 7, 10, 14, 15].entries()) {
      await world.advance(begin.plus({ days: day }).diff(world.clock.now()));
      const asked = [0, 3, 7, 14].includes(day) ? invoices : invoices.slice(index % 3, (index % 3) + 1);
      for (const invoice of asked) await instruct(world, invoice, 'CARD_CHANGE');
    }
    await world.advance({ days: 1 });
    const emails = await world.query<{ at: DateTime<true> }>(
      `select sent_at as at from payment_retry.emails where state = 'sent' order by sent_at`,
    );
    expect(emails.map(({ at }) => Math.round((at.toMillis() - begin.toMillis()) / 86_400_000))).toEqual([
      0, 3, 7, 14,
    ]);
    expect(emailed()).toBe(4);
    expect(plain(world.email.emails[0]?.text)).toContain('$25.00 and €9.00');
  });

  describe.each([
    ['is open', () => {}],
    ['was given up', (debt: string) => world.sandbox.markUncollectible(debt)],
  ])('whose first debt %s and who left every email about it unanswered', (_what, close) => {
    inFull('hears of a later debt twice, the second time as the last', async () => {
      const { subscriptionIds } = payerOf([2000, 500]);
      const [first = '', later = ''] = subscriptionIds;
      const askFor = async (invoice: string) => {
        for (let day = 0; day < 22; day += 1) {
          await instruct(world, invoice, 'CARD_CHANGE');
          await world.advance({ days: 1 });
        }
      };
      const debt = await renew(world, first);
      await askFor(debt);
      expect(emailed()).toBe(4);
      close(debt);
      const [begin, joined] = [world.clock.now(), await renew(world, later)];
      await askFor(joined);
      const emails = await world.query<{ at: DateTime<true>; notice: string; named: string[] }>(
        `select sent_at as at, notice, named from payment_retry.emails where sent_at >= $1 order by sent_at`,
        [begin.toISO()],
      );
      const dayOf = (at: DateTime<true>) => Math.round((at.toMillis() - begin.toMillis()) / 86_400_000);
      expect(emails.map(({ at, notice }) => [dayOf(at), notice])).toEqual([
        [0, 'first'],
        [14, 'last'],
      ]);
      const open = [debt, joined].filter((id) => statusOf(world, id) === 'open').sort();
      for (const { named } of emails) expect([...named].sort()).toEqual(open);
    });
  });
});
