/** A customer whose card is dead is asked several times, and never after the payment. */
import { accepts, acceptsFirst, declines } from '../../src/sandbox/stripe/payment-behaviour.ts';
import { failingInvoice, instruct, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.reset());

const stolen = () => acceptsFirst(1, declines('stolen_card', {}, { last4: '9979' }));
const mailed = () => world.mail.mails.length;

describe('with the embedded service', () => {
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.stop());

  test('mails go out on days 0, 3, 7 and 14, and no more', async () => {
    await failingInvoice(world, stolen());
    const counts: number[] = [];
    for (let day = 0; day < 25; day += 1) {
      counts.push(mailed());
      await world.advance({ days: 1 });
    }
    const sentOn = counts.flatMap((count, day) => (count > (counts[day - 1] ?? 0) ? [day] : []));
    expect(sentOn).toEqual([0, 3, 7, 14]);
    expect(counts.at(-1)).toBe(4);
  });

  test('none goes out after the payment', async () => {
    const { invoiceId, customerId } = await failingInvoice(world, stolen());
    await world.advance({ days: 4 });
    expect(mailed()).toBe(2);
    world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
    await world.advance({ days: 20 });
    expect([statusOf(world, invoiceId), mailed()]).toEqual(['paid', 2]);
  });
});

describe('with a remote service', () => {
  beforeAll(async () => {
    world = await createWorld({ isRemote: true, plugin: { reminderDays: '0,3' } });
  });
  afterAll(() => world.stop());

  test('no more mails go out than there are days', async () => {
    const { invoiceId } = await failingInvoice(world, stolen());
    for (let asked = 0; asked < 4; asked += 1) {
      await instruct(world, invoiceId, 'CARD_CHANGE');
      await world.advance({ days: 3 });
    }
    expect(mailed()).toBe(2);
  });
});
