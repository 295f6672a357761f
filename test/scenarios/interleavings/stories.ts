/** What several processes do at once, and what must have come of it, in whichever order. */
import type { SettingOptions } from '../../../src/plugin/settings/schema/setting-options.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
  type PaymentMethodBehaviour,
} from '../../../src/workbench/sandbox/payment-behaviour.ts';
import type { Site } from './processes.ts';

export interface Story {
  readonly name: string;
  readonly processes: number;
  readonly settings?: SettingOptions;
  /** A customer with a subscription for each. */
  readonly cards: readonly PaymentMethodBehaviour[];
  play(site: Site): Promise<void>;
  /** Of each subscription's latest invoice: its state, Stripe's charges, and how many of them were ours. */
  readonly end: { readonly status: string; readonly charges: readonly string[]; readonly ours: number };
  readonly emails?: number;
  readonly endedSubscriptions?: number;
}

/** The networks' limits allow another attempt. */
const LATER = { hours: 25 };
/** Cards of their own: equal amounts on one keep hours apart. */
const soft = (times: number, fingerprint = 'card') =>
  declinesTimes(times, 'insufficient_funds', {}, { fingerprint });

function renewAll({ sandbox }: Site): string[] {
  return [...sandbox.state.subscriptions.newestFirst()].map(({ id }) => sandbox.renewNow(id).id);
}

const retry = (site: Site, invoiceId: string, suggestion = 'RETRY') => ({
  requestId: `${suggestion} ${invoiceId}`,
  invoiceId,
  actionSuggestion: `ACTION_SUGGESTION_${suggestion}`,
  idealRetryTime: site.now().toISO(),
});

export const STORIES: readonly Story[] = [
  {
    name: 'claims',
    processes: 3,
    cards: [soft(1, 'one'), soft(1, 'another')],
    play: async (site) => {
      const invoices = renewAll(site);
      await site.settle();
      await site.pass(LATER);
      await site.together(invoices.map((id, index) => site.message(index, retry(site, id))));
    },
    end: { status: 'paid', charges: ['failed', 'succeeded'], ours: 1 },
  },
  {
    name: 'deliveries',
    processes: 2,
    cards: [1, 2, 3].map((last) => accepts({ last4: `000${last}` })),
    play: async (site) => {
      const { sandbox, service } = site;
      service.answer = ({ records }) => (records.length > 2 ? { status: 413 } : undefined);
      const ids = [...sandbox.state.subscriptions.newestFirst()].map(({ id }) => id);
      for (const id of ids) sandbox.updateSubscription(id, { cancel_at_period_end: true });
      const reconsider = (id: string) =>
        site.later(() => sandbox.updateSubscription(id, { cancel_at_period_end: false }));
      await site.together(ids.map(reconsider));
    },
    end: { status: 'paid', charges: ['succeeded'], ours: 0 },
  },
  {
    name: 'instructions',
    processes: 2,
    cards: [soft(9)],
    play: async (site) => {
      const [invoiceId = ''] = renewAll(site);
      await site.settle();
      await site.pass(LATER);
      const again = { ...retry(site, invoiceId), requestId: 'a newer one' };
      await site.together([
        site.message(0, retry(site, invoiceId)),
        site.message(1, retry(site, invoiceId)),
        site.message(1, again),
        site.message(0, again),
      ]);
    },
    end: { status: 'open', charges: ['failed', 'failed'], ours: 1 },
  },
  {
    name: 'emails',
    processes: 2,
    cards: [acceptsFirst(1, declines('stolen_card'))],
    play: async (site) => {
      const [invoiceId = ''] = renewAll(site);
      await site.settle();
      const wish = retry(site, invoiceId, 'CARD_CHANGE');
      await site.together([site.message(0, wish), site.message(1, wish)]);
    },
    end: { status: 'open', charges: ['failed'], ours: 0 },
    emails: 1,
  },
  {
    name: 'ends',
    processes: 2,
    settings: { retryMode: 'exclusive', afterGivingUp: 'cancel' },
    cards: [soft(9)],
    play: async (site) => {
      const [invoiceId = ''] = renewAll(site);
      await site.settle();
      const end = {
        id: `end of ${invoiceId}`,
        type: 'complete_dunning',
        created: 'now',
        data: { invoiceId },
      };
      await site.together([site.message(0, end), site.message(1, end)]);
    },
    end: { status: 'open', charges: ['failed'], ours: 0 },
    // That it ended, once.
    emails: 1,
    endedSubscriptions: 1,
  },
  {
    name: 'inbox',
    processes: 2,
    cards: [soft(9)],
    play: async (site) => {
      renewAll(site);
      await site.together();
    },
    end: { status: 'open', charges: ['failed'], ours: 0 },
  },
];
