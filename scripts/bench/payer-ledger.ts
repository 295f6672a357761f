/** What became of the payers' money, access and patience, of the simulated account's own records. */
import type { DateTime } from 'luxon';
import type { Charge, Event, Invoice, Subscription } from '../../src/workbench/sandbox/objects/wire.ts';
import type { Sandbox } from '../../src/workbench/sandbox/sandbox.ts';
import type { World } from '../../test/support/world.ts';
import type { Payer } from './payer-people.ts';

export interface Ledger {
  /** A payer is about to give another card. */
  noteNewCard(payer: Payer): void;
  /** Looks at what ended since it was called last. */
  watch(): Promise<void>;
  report(): Promise<Report>;
}

export interface Report {
  readonly figures: Figures;
  /** Cards that did not bring the subscription back within an hour. */
  readonly slow: readonly Restored[];
  readonly emails: readonly { readonly kind: string; readonly count: number }[];
}

/** Sums and counts, so that those of several worlds can be added. */
export interface Figures {
  readonly failed: number;
  readonly owed: number;
  readonly recovered: number;
  readonly attempts: number;
  readonly payers: number;
  readonly emails: number;
  readonly outages: number;
  readonly outageHours: number;
  readonly newCards: number;
  readonly restored: number;
  readonly restoredHours: number;
  readonly slow: number;
  readonly worstHours: number;
  readonly all: number;
  readonly collected: number;
  readonly payable: number;
  readonly exceeded: number;
}

/** A card that came while subscriptions were behind. */
interface NewCard {
  readonly behind: readonly string[];
  /** How many of them its money could pay. */
  readonly payable: number;
  readonly at: DateTime;
}

/** A subscription that such a card could have brought back. */
interface Restored {
  readonly subscription: string;
  readonly at: DateTime;
  /** Undefined if it never came back. */
  readonly hours: number | undefined;
}

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Would have been paid soon: the wallet held the amount on some day of as many. */
const SOON_DAYS = 7;
/** Refusals in a row that the networks allow (stripe-facts 5.5 to 5.8). */
const MOST: Readonly<Record<string, { refusals: number; seconds: number }>> = {
  visa: { refusals: 15, seconds: 30 * DAY },
  mastercard: { refusals: 10, seconds: DAY },
};
const OTHERS = { refusals: 15, seconds: 30 * DAY };

export function createLedger(world: World, payers: readonly Payer[]): Ledger {
  const { sandbox, clock } = world;
  const payerOf = new Map(payers.map((payer) => [payer.customerId, payer]));
  const newCards: NewCard[] = [];
  const ends = { all: 0, collected: 0, payable: 0 };
  let seen: string | undefined;

  async function watch(): Promise<void> {
    const fresh = takeUntil(
      sandbox.state.events.newestFirst({ index: 'type', key: 'customer.subscription.deleted' }),
      seen,
    );
    seen = fresh[0]?.id ?? seen;
    for (const event of fresh) await judgeEnd(event);
  }

  async function judgeEnd(event: Event): Promise<void> {
    const subscription = subscriptionOf(event);
    if (!subscription) return;
    ends.all += 1;
    const latest = latestInvoice(sandbox, subscription.id);
    if (!latest) return;
    // Worked on until the subscription's end closed it: the service has heard of that by now.
    const [open] = await world.query(
      `select 1 as one from retry_service.cases where invoice_id = $1
         and (state = 'open' or reason = 'subscription_canceled')`,
      [latest.id],
    );
    // Shortly before the next renewal it has had all the time there is for it.
    const isPeriodOver = event.created > (subscription.items.data[0]?.current_period_end ?? 0) - DAY;
    if ((open && !isPeriodOver) || latest.status === 'paid') ends.collected += 1;
    const payer = payerOf.get(latest.customer ?? '');
    if (payer && isPayableSoon(payer, clock.now(), latest.amount_due)) ends.payable += 1;
  }

  return {
    noteNewCard: (payer) => {
      const behind = payer.subscriptions.filter(
        (id) => sandbox.state.subscriptions.get(id)?.status === 'past_due',
      );
      const amountOf = (id: string) => latestInvoice(sandbox, id)?.amount_due ?? 0;
      const money = payer.wallet.availableAt(clock.now());
      const amounts = behind.map(amountOf).toSorted((one, other) => one - other);
      const payable = amounts.filter((_, last) => sum(amounts.slice(0, last + 1)) <= money).length;
      newCards.push({ behind, payable, at: clock.now() });
    },
    watch,
    report: async () => {
      const money = sumMoney(sandbox);
      const outages = listOutages(sandbox, clock.now().toUnixInteger());
      const restored = newCards.flatMap((card) => listRestored(outages, card));
      const inTrouble = new Set(money.failed.map(({ customer }) => payerOf.get(customer ?? '')?.email));
      const emails = world.email.emails.filter(({ to }) => inTrouble.has(to?.[0]?.address));
      const known = restored.flatMap(({ hours }) => hours ?? []);
      const slow = restored.filter(({ hours }) => hours === undefined || hours > 1);
      return {
        figures: {
          failed: money.failed.length,
          owed: money.owed,
          recovered: money.recovered,
          attempts: money.charges,
          payers: inTrouble.size,
          emails: emails.length,
          outages: outages.length,
          outageHours: sum(outages.map(({ from, to }) => (to - from) / HOUR)),
          newCards: restored.length,
          restored: known.length,
          restoredHours: sum(known),
          slow: slow.length,
          worstHours: Math.max(0, ...known),
          ...ends,
          exceeded: countExceeded(sandbox, await listOurs(world)),
        },
        slow,
        emails: await world.query<{ kind: string; count: number }>(
          `select template || ' ' || notice as kind, count(*)::int from payment_retry.emails
           where state = 'sent' group by 1 order by 2 desc`,
        ),
      };
    },
  };
}

export function addFigures(one: Figures, other: Figures): Figures {
  const added = { ...one };
  for (const name of Object.keys(one) as (keyof Figures)[])
    Object.assign(added, { [name]: one[name] + other[name] });
  return { ...added, worstHours: Math.max(one.worstHours, other.worstHours) };
}

export function toTable(all: Figures): string {
  const { failed, payers, restored, newCards } = all;
  const ratio = (value: number, by: number, digits: number) => (by ? value / by : 0).toFixed(digits);
  const rows: [string, string][] = [
    ['failed invoices', String(failed)],
    ['recovered money', `${ratio(100 * all.recovered, all.owed, 1)} %`],
    ['attempts for an invoice', ratio(all.attempts, failed, 2)],
    [`emails to each of ${payers} payers in trouble`, ratio(all.emails, payers, 2)],
    ['days without access, each time', ratio(all.outageHours / 24, all.outages, 1)],
    ['days without access, a payer in trouble', ratio(all.outageHours / 24, payers, 1)],
    [
      'hours from a new card to good standing: mean, worst',
      `${ratio(all.restoredHours, restored, 1)}, ${all.worstHours.toFixed(1)} (of ${newCards}; over an hour: ${all.slow}; never: ${newCards - restored})`,
    ],
    ['subscriptions ended', String(all.all)],
    ['of them in the middle of a period whose invoice was collected', String(all.collected)],
    [`of them with the money for it within ${SOON_DAYS} days`, String(all.payable)],
    ['limits exceeded by our charges', String(all.exceeded)],
  ];
  return ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n');
}

function subscriptionOf({ data: { object } }: Event): Subscription | undefined {
  return object.object === 'subscription' ? (object as Subscription) : undefined;
}

function takeUntil(events: Iterable<Event>, last: string | undefined): Event[] {
  const fresh: Event[] = [];
  for (const event of events) {
    if (event.id === last) break;
    fresh.push(event);
  }
  return fresh;
}

/** Finalized and not void: what decides about access (stripe-facts 2.1). */
function latestInvoice({ state }: Sandbox, subscription: string): Invoice | undefined {
  for (const invoice of state.invoices.newestFirst({ index: 'subscription', key: subscription }))
    if (invoice.status !== 'draft' && invoice.status !== 'void') return invoice;
  return undefined;
}

function isPayableSoon({ wallet, isCardDead }: Payer, now: DateTime, amount: number): boolean {
  return Array.from({ length: SOON_DAYS }, (_, days) => now.plus({ days: days + 1 })).some(
    (at) => !isCardDead(at) && wallet.availableAt(at) >= amount,
  );
}

function sumMoney({ state }: Sandbox) {
  const counts = new Map<string, { charges: number; hasFailed: boolean }>();
  for (const { invoice, payment } of state.invoicePayments.newestFirst()) {
    const charges = [
      ...state.charges.newestFirst({ index: 'paymentIntent', key: payment.payment_intent ?? '' }),
    ];
    const count = counts.get(String(invoice)) ?? { charges: 0, hasFailed: false };
    count.charges += charges.length;
    count.hasFailed ||= charges.some(({ status }) => status === 'failed');
    counts.set(String(invoice), count);
  }
  const failed = [...state.invoices.newestFirst()].filter(({ id }) => counts.get(id)?.hasFailed);
  return {
    failed,
    charges: sum(failed.map(({ id }) => counts.get(id)?.charges ?? 0)),
    owed: sum(failed.map(({ amount_due }) => amount_due)),
    recovered: sum(failed.filter(({ status }) => status === 'paid').map(({ amount_due }) => amount_due)),
  };
}

interface Outage {
  readonly subscription: string;
  readonly from: number;
  to: number;
  isRestored: boolean;
}

/** From each failure of a latest invoice until the subscription is in good standing, ends, or the world does. */
function listOutages({ state }: Sandbox, end: number): Outage[] {
  const outages: Outage[] = [];
  const running = new Map<string, Outage>();
  for (const event of [...state.events.newestFirst()].reverse()) {
    const { created } = event;
    const subscription = subscriptionOf(event);
    if (!subscription) continue;
    const { id, status } = subscription;
    const outage = running.get(id);
    if (status === 'past_due' && !outage) {
      const begun = { subscription: id, from: created, to: end, isRestored: false };
      running.set(id, begun);
      outages.push(begun);
    } else if (status !== 'past_due' && outage) {
      Object.assign(outage, { to: created, isRestored: status === 'active' });
      running.delete(id);
    }
  }
  return outages.filter(({ from, to }) => to > from);
}

/** Those that came back first, as many as the card's money could pay: which, is the product's choice. */
function listRestored(outages: readonly Outage[], { behind, payable, at }: NewCard): Restored[] {
  const all = behind.map((subscription) => ({
    subscription,
    at,
    hours: hoursUntilGood(outages, subscription, at.toUnixInteger()),
  }));
  const hoursOf = ({ hours }: Restored) => hours ?? Number.POSITIVE_INFINITY;
  return all.toSorted((one, other) => hoursOf(one) - hoursOf(other)).slice(0, payable);
}

function hoursUntilGood(
  outages: readonly Outage[],
  subscription: string,
  seconds: number,
): number | undefined {
  const outage = outages.find(
    (one) => one.subscription === subscription && one.from <= seconds && one.to >= seconds,
  );
  return outage?.isRestored ? (outage.to - seconds) / HOUR : undefined;
}

/** What Stripe charges by itself, such as the next renewal, is not ours to leave. */
async function listOurs(world: World): Promise<ReadonlySet<string>> {
  const rows = await world.query<{ id: string }>(
    `select charge_id as id from payment_retry.attempts where source = 'ours' and charge_id is not null`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Charges that came after as many refusals of the card in a row as its network allows. */
function countExceeded({ state }: Sandbox, ours: ReadonlySet<string>): number {
  const byCard = new Map<string, Charge[]>();
  for (const charge of [...state.charges.newestFirst()].reverse()) {
    const card = charge.payment_method_details?.card?.fingerprint ?? '';
    byCard.set(card, [...(byCard.get(card) ?? []), charge]);
  }
  return sum([...byCard.values()].map((charges) => countOnCard(charges, ours)));
}

function countOnCard(charges: readonly Charge[], ours: ReadonlySet<string>): number {
  let refusedAt: number[] = [];
  let exceeded = 0;
  for (const { id, created, status, payment_method_details: details } of charges) {
    const { refusals, seconds } = MOST[details?.card?.brand ?? ''] ?? OTHERS;
    const isOver = refusedAt.filter((at) => at > created - seconds).length >= refusals;
    if (isOver && ours.has(id)) exceeded += 1;
    refusedAt = status === 'succeeded' ? [] : [...refusedAt, created];
  }
  return exceeded;
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
