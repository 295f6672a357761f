/** A customer hears of a failed payment within FIRST_EMAIL_WITHIN_DAYS; emails to one address are one series. */
import type { DateTime } from 'luxon';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import {
  acceptsFirst,
  declines,
  type PaymentMethodBehaviour,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { failingInvoice, renew, statusOf, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { emailsTo, withoutEffects } from './fail-together.ts';
import { startOtherwise, toRemote } from './start-otherwise.ts';

let world: World;
const settings: OwnOptions = {};
beforeAll(async () => {
  world = await createWorld({ plugin: settings });
});
afterAll(() => world?.stop());
const broke = () => acceptsFirst(1, declines('insufficient_funds', {}, { last4: '0341' }));
const stolen = () => acceptsFirst(1, declines('stolen_card'));
const subjects = (emails = world.email.emails) =>
  emails.map(({ subject }) => subject?.replaceAll('\u00a0', ' '));
/** Whichever letters are capitals. */
const subjectsTo = (address: string) =>
  subjects(world.email.emails.filter(({ to }) => to?.some((one) => one.address?.toLowerCase() === address)));
const NOTICE = 'Your payment to Sandbox Inc. did not go through: $20.00';
const ASK = 'Update your card for Sandbox Inc. ($20.00)';
const REMINDER = 'Reminder: update your card for Sandbox Inc. ($20.00)';
const LAST = 'Last reminder: update your card for Sandbox Inc. ($20.00)';
const daysSince = (start: DateTime, at: DateTime) => at.diff(start, 'days').days;

interface Sent {
  readonly template: string;
  readonly sentAt: DateTime<true>;
  readonly named: string[];
  readonly notice: string;
}
const sent = () =>
  world.query<Sent>('select template, sent_at, named, notice from payment_retry.emails order by sent_at');

describe('with the embedded service', () => {
  let start: DateTime;
  let lacking = '';
  let ofTwins: string[];
  beforeAll(async () => {
    start = world.clock.now();
    const still = withoutEffects(world);
    const begun = [
      await subscribe(still, broke(), { email: 'lacking@example.com' }),
      await subscribe(still, stolen(), { email: 'twins@example.com' }),
      await subscribe(still, stolen(), { email: 'Twins@Example.com' }),
    ];
    await world.settle();
    const invoices: string[] = [];
    // At the same moment: whoever writes to the twins' address second sees what the first one has sent.
    for (const { subscriptionId } of begun) invoices.push(await renew(still, subscriptionId));
    await world.settle();
    [lacking = '', ...ofTwins] = invoices;
  });
  afterAll(() => world.reset());
  const until = (days: number) => world.advance(start.plus({ days }).diff(world.clock.now()));
  const sentAbout = async (invoices: readonly string[]) =>
    (await sent()).filter(({ named }) => named.some((id) => invoices.includes(id)));

  test('a customer who lacks money hears of it within a week, once, and is not asked for another card', async () => {
    await until(7);
    expect(subjectsTo('lacking@example.com')).toEqual([NOTICE]);
    const [first] = await sentAbout([lacking]);
    expect(first).toMatchObject({ template: 'failure_notice', named: [lacking], notice: 'first' });
    expect(daysSince(start, first?.sentAt ?? start)).toBeLessThanOrEqual(7);
    const text = emailsTo(world, 'lacking')[0]?.text ?? '';
    expect(text).toContain('We will try it again over the next days.');
    expect(text).toContain('/card-update/');
    expect(text).not.toContain('update your card');
    // It would come again in the next week.
    await until(15);
    const emails = await sentAbout([lacking]);
    expect(emails.filter(({ template }) => template === 'failure_notice')).toHaveLength(1);
  });

  test('two customers with one address get one series of emails, each about its own invoice, and no first notice beside it', async () => {
    await until(25);
    expect(subjectsTo('twins@example.com')).toEqual([ASK, ASK, REMINDER, LAST]);
    const emails = await sentAbout(ofTwins);
    expect(emails.map(({ notice }) => notice)).toEqual(['first', 'first', 'reminder', 'last']);
    expect(emails.map(({ named }) => named.length)).toEqual([1, 1, 1, 1]);
    expect(new Set(emails.flatMap(({ named }) => named))).toEqual(new Set(ofTwins));
    const gaps = emails
      .slice(1)
      .map(({ sentAt }, index) => daysSince(emails[index]?.sentAt ?? sentAt, sentAt));
    expect(Math.min(...gaps)).toBeGreaterThan(2);
    expect(ofTwins.map((id) => statusOf(world, id))).toEqual(['open', 'open']);
  });
});

describe('with a remote service', () => {
  const begin = async (behaviour: PaymentMethodBehaviour, firstEmailWithinDays?: number) => {
    await startOtherwise(world, settings, { ...toRemote(world), firstEmailWithinDays });
    await failingInvoice(world, behaviour);
    await world.advance({ days: 8 });
  };

  test('no email goes out that the service did not ask for, unless FIRST_EMAIL_WITHIN_DAYS is set', async () => {
    await begin(broke());
    expect(subjects()).toEqual([]);
  });

  test('where nothing is planned that could bring the money, the first notice asks for another card', async () => {
    await begin(stolen(), 3);
    expect(subjects()).toEqual([ASK]);
  });
});
