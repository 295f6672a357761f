import type { Sandbox } from '../sandbox/sandbox.ts';

interface PlanItem {
  name: string;
  /** Minor units. */
  amount: number;
  quantity?: number;
}

export interface Plan {
  readonly currency: string;
  readonly interval: 'month' | 'year';
  readonly items: readonly PlanItem[];
}

/** The merchant's plans; some have several parts. */
export const PLANS = {
  'tea monthly, USD': { currency: 'usd', interval: 'month', items: [{ name: 'Tea box', amount: 2900 }] },
  'tea monthly, EUR': { currency: 'eur', interval: 'month', items: [{ name: 'Tea box', amount: 2490 }] },
  'tea monthly, GBP': { currency: 'gbp', interval: 'month', items: [{ name: 'Tea box', amount: 2250 }] },
  'tea monthly, JPY': { currency: 'jpy', interval: 'month', items: [{ name: 'Tea box', amount: 3200 }] },
  'tea monthly, BRL': { currency: 'brl', interval: 'month', items: [{ name: 'Tea box', amount: 7900 }] },
  'tea monthly, AUD': { currency: 'aud', interval: 'month', items: [{ name: 'Tea box', amount: 3900 }] },
  'tea monthly, INR': { currency: 'inr', interval: 'month', items: [{ name: 'Tea box', amount: 89_900 }] },
  'tea yearly, EUR': { currency: 'eur', interval: 'year', items: [{ name: 'Tea year', amount: 24_900 }] },
  'tea yearly, JPY': { currency: 'jpy', interval: 'year', items: [{ name: 'Tea year', amount: 32_000 }] },
  'office, USD': {
    currency: 'usd',
    interval: 'month',
    items: [
      { name: 'Office box', amount: 5900 },
      { name: 'Cups', amount: 450, quantity: 12 },
    ],
  },
  'office, EUR': {
    currency: 'eur',
    interval: 'month',
    items: [
      { name: 'Office box', amount: 4900 },
      { name: 'Cups', amount: 390, quantity: 8 },
      { name: 'Honey', amount: 700 },
    ],
  },
} as const satisfies Record<string, Plan>;

export type PlanName = keyof typeof PLANS;

/** The plan's prices at Stripe, made when the first customer takes it. */
export function createPriceList(sandbox: Sandbox): (name: PlanName) => { price: string; quantity: number }[] {
  const made = new Map<PlanName, { price: string; quantity: number }[]>();
  return (name) => {
    const plan: Plan = PLANS[name];
    const items =
      made.get(name) ??
      plan.items.map((item) => ({ price: createPrice(sandbox, plan, item), quantity: item.quantity ?? 1 }));
    made.set(name, items);
    return items;
  };
}

function createPrice(sandbox: Sandbox, { currency, interval }: Plan, { name, amount }: PlanItem): string {
  return sandbox.createPrice({
    currency,
    unit_amount: amount,
    product_data: { name },
    recurring: { interval },
  }).id;
}
