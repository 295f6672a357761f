/** The canonical stories: what merchants, customers, banks and the service do, and what must have come of it at the end. */
import type { OwnOptions } from '../../../src/plugin/app/own-plugin.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
  type PaymentMethodBehaviour,
  requiresAuthentication,
} from '../../../src/workbench/sandbox/payment-behaviour.ts';
import type { Sandbox } from '../../../src/workbench/sandbox/sandbox.ts';
import type { Stage } from './stage.ts';

export interface Story {
  readonly name: string;
  readonly settings?: OwnOptions;
  /** Before the plugin's first life. */
  readonly cards: readonly PaymentMethodBehaviour[];
  /** It has read what was before. */
  readonly isKnown?: boolean;
  /** Calls are counted from the restart in the middle of it. */
  readonly isAboutStart?: boolean;
  play(stage: Stage): Promise<void>;
  /** Of each invoice that was ever open after a failure. */
  readonly end: { status: string; charges: readonly string[]; ours: number };
  readonly emails?: number;
}

/** The networks' limits allow another attempt. */
const LATER = { hours: 25 };
const soft = (times: number) => declinesTimes(times, 'insufficient_funds');

/** A subscription for each card, with the first invoice paid where the card takes it. */
export function arrange(sandbox: Sandbox, { cards }: Story): void {
  const { id: price } = sandbox.createPrice({ unit_amount: 2000 });
  for (const [index, card] of cards.entries()) {
    const { id: customer } = sandbox.createCustomer({
      email: `ada${index}@example.com`,
      country: 'DE',
      paymentMethod: card,
    });
    sandbox.createSubscription({ customer, items: [{ price }] });
  }
}

const subscriptions = ({ world }: Stage) => [...world.sandbox.state.subscriptions.newestFirst()].reverse();

async function renewAll(stage: Stage): Promise<readonly string[]> {
  const invoices = subscriptions(stage).map(({ id }) => stage.world.sandbox.renewNow(id).id);
  await stage.settle();
  return invoices;
}

async function renew(stage: Stage): Promise<string> {
  const [id = ''] = await renewAll(stage);
  return id;
}

export const STORIES: readonly Story[] = [
  {
    name: 'subscription-change',
    cards: [accepts()],
    play: async (stage) => {
      const [subscription] = subscriptions(stage);
      const item = subscription?.items.data[0]?.id ?? '';
      stage.world.sandbox.updateSubscription(subscription?.id ?? '', { items: [{ id: item, quantity: 3 }] });
      await stage.settle();
    },
    end: { status: 'paid', charges: ['succeeded'], ours: 0 },
  },
  {
    name: 'failure-to-paid',
    cards: [soft(1)],
    play: async (stage) => {
      const invoice = await renew(stage);
      await stage.pass(LATER);
      await stage.retry(invoice, 'request_1');
    },
    end: { status: 'paid', charges: ['failed', 'succeeded'], ours: 1 },
  },
  {
    name: 'decline',
    cards: [soft(9)],
    play: async (stage) => {
      const invoice = await renew(stage);
      await stage.pass(LATER);
      await stage.retry(invoice, 'request_1');
    },
    end: { status: 'open', charges: ['failed', 'failed'], ours: 1 },
  },
  {
    name: 'card-change',
    cards: [acceptsFirst(1, declines('stolen_card'))],
    play: async (stage) => {
      const invoice = await renew(stage);
      await stage.retry(invoice, 'request_1', 'CARD_CHANGE');
      await stage.pass({ hours: 1 });
      const [subscription] = subscriptions(stage);
      stage.world.sandbox.changeDefaultCard(String(subscription?.customer), accepts({ last4: '1111' }));
      await stage.settle();
    },
    end: { status: 'paid', charges: ['failed', 'succeeded'], ours: 1 },
    emails: 1,
  },
  {
    name: '3-d-secure',
    cards: [acceptsFirst(1, requiresAuthentication('action'))],
    play: async (stage) => {
      const invoice = await renew(stage);
      await stage.retry(invoice, 'request_1', 'CARD_CONFIRMATION');
      await stage.pass({ hours: 1 });
      stage.world.sandbox.payAsCustomer(invoice);
      await stage.settle();
    },
    end: { status: 'paid', charges: ['succeeded'], ours: 0 },
    emails: 1,
  },
  {
    name: 'give-up',
    settings: { retryMode: 'exclusive', afterGivingUp: 'cancel' },
    cards: [soft(9)],
    play: async (stage) => {
      const invoice = await renew(stage);
      await stage.complete(invoice);
    },
    end: { status: 'open', charges: ['failed'], ours: 0 },
  },
  {
    name: 'backfill-page',
    isKnown: false,
    cards: [soft(9), accepts({ last4: '1111' })],
    play: async (stage) => {
      await stage.survive(() => stage.world.plugin.parts.requestBackfill());
      await stage.settle();
    },
    end: { status: 'paid', charges: ['succeeded'], ours: 0 },
  },
  {
    name: 'delivery',
    cards: [1, 2, 3, 4, 5].map((last) => accepts({ last4: `000${last}` })),
    play: async (stage) => {
      const { sandbox, service } = stage.world;
      let refusals = 1;
      service.answer = ({ records }) => {
        if (refusals-- > 0) return { status: 503 };
        return records.length > 2 ? { status: 413 } : undefined;
      };
      for (const { id } of subscriptions(stage))
        sandbox.updateSubscription(id, { cancel_at_period_end: true });
      await stage.settle();
    },
    end: { status: 'paid', charges: ['succeeded'], ours: 0 },
  },
  {
    name: 'callback',
    cards: [soft(9)],
    play: async (stage) => {
      const invoice = await renew(stage);
      const at = (hours: number) => stage.now().plus({ hours });
      await stage.retry(invoice, 'request_1', 'RETRY', at(30));
      await stage.retry(invoice, 'request_2', 'RETRY', at(40));
      await stage.retry(invoice, 'request_2', 'RETRY', at(40));
      await stage.retry(invoice, 'request_3', 'UNSPECIFIED');
      await stage.pass({ hours: 40 });
    },
    end: { status: 'open', charges: ['failed', 'failed'], ours: 1 },
  },
  {
    name: 'start',
    cards: [soft(9)],
    isAboutStart: true,
    play: async (stage) => {
      const [subscription] = subscriptions(stage);
      stage.world.sandbox.renewNow(subscription?.id ?? '');
      // Webhooks are received, and nothing is done about them.
      await stage.world.sandbox.run();
      await stage.restart();
      await stage.settle();
    },
    end: { status: 'open', charges: ['failed'], ours: 0 },
  },
];
