/** A customer whose card is dead is asked several times, one short of funds twice, and nobody after the payment. */
import { DateTime } from 'luxon';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  type PaymentMethodBehaviour,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import { callBack, instruct, renew, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import { EMBEDDED, startOtherwise } from './start-otherwise.ts';

const settings: OwnOptions = { reminderDays: '0,3' };
let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true, plugin: settings });
});
afterEach(() => world.reset());
afterAll(() => world?.stop());

const stolen = () => acceptsFirst(1, declines('stolen_card', {}, { last4: '9979' }));
const plain = (text: string | undefined) => text?.replaceAll('\u00a0', ' ');
const emailed = () => world.email.emails.length;

describe.each([
  ['cancel', 'canceled', '2026-03-02', 'April 1, 2026', '2026-04-01T21:59:00Z'],
  ['pause', 'paused', '2026-05-02', 'June 1, 2026', '2026-06-01T21:59:00Z'],
] as const)('where AFTER_GIVING_UP is %s', (afterGivingUp, word, begin, day, end) => {
  beforeAll(() =>
    startOtherwise(world, settings, { retryMode: 'exclusive', afterGivingUp, reminderDays: '0,3' }),
  );

  const isEnded = (id: string) => {
    const { status, pause_collection: pause } = world.sandbox.state.subscriptions.get(id) ?? {};
    return status === 'canceled' || status === 'paused' || (pause ?? null) !== null;
  };

  test('the last email names the day, the page too; none follows it, and nothing ends before the day is over', async () => {
    await world.advance(DateTime.fromISO(`${begin}T10:00:00Z`).diff(world.clock.now()));
    const [{ invoiceId, subscriptionId }] = await failList(world, [{ paymentMethod: stolen() }], 'older');
    await instruct(world, invoiceId, 'CARD_CHANGE');
    await world.advance({ days: 3 });
    await instruct(world, invoiceId, 'CARD_CHANGE');
    const [first, last] = world.email.emails;
    expect(first?.text).toContain('your subscription may end');
    const promised = `If the payment is not made by ${day}, your subscription will be ${word}.`;
    expect(last?.text).toContain(promised);
    const link = /https?:\S+card-update\S+/.exec(last?.text ?? '')?.[0] ?? '';
    const page = await (await fetch(link)).text();
    for (const line of [promised, 'Subscription: Plan', 'Visa\u00a0••••\u00a09979'])
      expect(page).toContain(line);
    await world.advance({ days: 3 });
    await instruct(world, invoiceId, 'CARD_CHANGE');
    expect(emailed()).toBe(2);
    await callBack(world, {
      id: `over ${day}`,
      type: 'complete_dunning',
      created: 'now',
      data: { invoiceId },
    });
    await world.settle();
    await world.advance(DateTime.fromISO(end).diff(world.clock.now()));
    expect(isEnded(subscriptionId)).toBe(false);
    await world.advance({ minutes: 2 });
    expect(isEnded(subscriptionId)).toBe(true);
  });
});

describe('with the embedded service', () => {
  beforeAll(() => startOtherwise(world, settings, EMBEDDED));

  test('with the embedded service, emails go out on days 0, 3, 7 and 14, and no more', async () => {
    await failList(world, [{ paymentMethod: stolen() }], 'older');
    const counts: number[] = [];
    for (let day = 0; day < 17; day += 1) {
      counts.push(emailed());
      await world.advance({ days: 1 });
    }
    await world.advance({ days: 6 });
    expect(emailed()).toBe(4);
    const sentOn = counts.flatMap((count, day) => (count > (counts[day - 1] ?? 0) ? [day] : []));
    expect(sentOn).toEqual([0, 3, 7, 14]);
    expect(counts.at(-1)).toBe(4);
    expect(world.email.emails.map(({ subject }) => subject?.split(':')[0])).toEqual([
      expect.stringMatching(/^Update your card for /),
      'Reminder',
      'Reminder',
      'Last reminder',
    ]);
    for (const { text } of world.email.emails) {
      expect(text).toContain('Subscription: Plan');
      expect(plain(text)).toContain('Payment method: Visa •••• 9979');
      // Stripe's own setting decides here, and nobody knows it.
      expect(text).toContain('If the payment is not made, your subscription may end.');
    }
  });

  inFull('with the embedded service, no reminder goes out after the payment', async () => {
    const [{ invoiceId, customerId }] = await failList(world, [{ paymentMethod: stolen() }], 'older');
    await world.advance({ days: 4 });
    expect(emailed()).toBe(2);
    world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
    await world.advance({ days: 20 });
    expect([statusOf(world, invoiceId), emailed()]).toEqual(['paid', 2]);
  });
});

describe('with the embedded service, which tries a card short of funds again and again', () => {
  beforeAll(() =>
    startOtherwise(world, settings, {
      ...EMBEDDED,
      retryMode: 'exclusive',
      afterGivingUp: 'cancel',
      maxRetriesPerInvoice: 2,
    }),
  );

  /** A year, so that no other invoice joins. */
  async function failingYear(paymentMethod: PaymentMethodBehaviour): Promise<string> {
    const { sandbox } = world;
    const customer = { email: 'ada@example.com', country: 'DE', paymentMethod };
    const price = sandbox.createPrice({
      unit_amount: 2000,
      recurring: { interval: 'year', interval_count: 1 },
    });
    const { id } = sandbox.importSubscription({
      customer: sandbox.createCustomer(customer).id,
      items: [{ price: price.id }],
    });
    await world.settle();
    await renew(world, id);
    return id;
  }

  test('a customer whose card is short of funds is asked once, and told the day before anything ends', async () => {
    const id = await failingYear(declines('insufficient_funds'));
    const isOver = () => world.sandbox.state.subscriptions.get(id)?.status === 'canceled';
    for (let day = 0; day < 70 && !isOver(); day += 1) await world.advance({ days: 1 });
    const sent = await world.query<{
      template: string;
      notice: string;
      promisedAt: DateTime | null;
      sentAt: DateTime;
    }>(
      `select template, notice, promised_at as "promisedAt", sent_at as "sentAt" from payment_retry.emails order by sent_at`,
    );
    expect([isOver(), sent.map(({ template, notice }) => `${template} ${notice}`)]).toEqual([
      true,
      ['failure_notice first', 'card_update first', 'card_update last', 'subscription_ended first'],
    ]);
    const last = sent.find(({ notice }) => notice === 'last');
    expect(last?.promisedAt?.diff(last.sentAt, 'days').days).toBeGreaterThanOrEqual(7);
    expect(plain(world.email.emails.at(-2)?.text)).toMatch(/your subscription will be canceled/);
  });
});
