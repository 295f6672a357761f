/** How older API versions show what events carry (stripe-facts 1.4). Each change is undone for every version before it. */
import Stripe from 'stripe';
import { invalidParameter } from '../api-error.ts';
import { type Fields, fieldsOf } from '../objects/fields.ts';
import { type Event, listOf } from '../objects/wire.ts';
import type { World } from '../sandbox-world.ts';

/** Changes by `object`. */
type Forms = Readonly<Record<string, (world: World, object: Fields) => Fields>>;

const CHANGES: readonly (readonly [version: string, forms: Forms])[] = [
  [
    '2026-09-30.endive',
    {
      subscription: (_world, { status_details: _, ...rest }) => rest,
      subscription_schedule: (_world, { pause_schedules: _, ...rest }) => rest,
    },
  ],
  [
    '2025-03-31.basil',
    {
      subscription: (_world, subscription) => ({ ...subscription, ...periodOf(subscription) }),
      invoice: (world, { parent, ...invoice }) => ({
        ...invoice,
        ...paymentOf(world, String(invoice.id)),
        paid: invoice.status === 'paid',
        subscription: subscriptionOf(parent),
      }),
      charge: (world, charge) => ({ ...charge, invoice: invoiceOf(world, charge.payment_intent) }),
      payment_intent: (world, intent) => ({ ...intent, invoice: invoiceOf(world, intent.id) }),
      invoiceitem: (_world, { parent, ...item }) => ({ ...item, subscription: subscriptionOf(parent) }),
    },
  ],
  [
    '2024-12-18.acacia',
    {
      charge: (_world, { outcome, ...charge }) => {
        const {
          advice_code: _,
          network_advice_code: __,
          network_decline_code: ___,
          ...rest
        } = fieldsOf(outcome);
        return { ...charge, outcome: outcome === null ? null : rest };
      },
    },
  ],
  [
    '2022-11-15',
    {
      payment_intent: (world, intent) => {
        const charges = world.charges.newestFirst({ index: 'paymentIntent', key: String(intent.id) });
        return { ...intent, charges: listOf(`/v1/charges?payment_intent=${intent.id}`, [...charges]) };
      },
      charge: (world, charge) => {
        const refunds = [...world.refunds.newestFirst()].filter((refund) => refund.charge === charge.id);
        return { ...charge, refunds: listOf(`/v1/charges/${charge.id}/refunds`, refunds) };
      },
    },
  ],
];

/** Throws for an invalid version, or one newer than the library's. */
export function assertVersion(version: string, param: string): void {
  if (/^20\d\d-\d\d-\d\d(\.[a-z]+)?$/.test(version) && version <= Stripe.API_VERSION) return;
  throw invalidParameter(`Invalid API version: ${version}.`, { param });
}

/** The event as an endpoint of that version gets it, rendered once. */
export function renderEvent(world: World, event: Event, version: string): Event {
  const forms = CHANGES.filter(([since]) => version < since).map(([, of]) => of[event.data.object.object]);
  const object = forms.reduce<Fields>((shown, form) => form?.(world, shown) ?? shown, {
    ...event.data.object,
  });
  return {
    ...event,
    api_version: version,
    data: { ...event.data, object: { ...object, object: event.data.object.object } },
  };
}

/** It was the subscription's own, and not that of its items. */
function periodOf({ items }: Fields): Fields {
  const { data } = fieldsOf(items);
  const [first] = Array.isArray(data) ? data : [];
  const { current_period_start, current_period_end } = fieldsOf(first);
  return { current_period_start, current_period_end };
}

function paymentOf(world: World, invoice: string): Fields {
  for (const { is_default, payment } of world.invoicePayments.newestFirst({
    index: 'invoice',
    key: invoice,
  })) {
    const intent = world.paymentIntents.get(payment.payment_intent ?? '');
    if (is_default && intent) return { payment_intent: intent.id, charge: intent.latest_charge };
  }
  return { payment_intent: null, charge: null };
}

function invoiceOf(world: World, intent: unknown): string | null {
  const key = String(intent);
  for (const { invoice } of world.invoicePayments.newestFirst({ index: 'paymentIntent', key }))
    return invoice;
  return null;
}

function subscriptionOf(parent: unknown): unknown {
  return fieldsOf(fieldsOf(parent).subscription_details).subscription ?? null;
}
