import fc from 'fast-check';
import Stripe from 'stripe';
import { describeReason } from '../../../../src/plugin/operator/text/describe-reason.ts';
import { toMinorUnits } from '../../../../src/plugin/sync/map/fixed-amount.ts';
import { priceAmount, priceParts } from '../../../../src/plugin/sync/map/price-amount.ts';
import { asWebhookPayload, buildPrice, buildTier } from '../../../support/stripe/stripe-objects.ts';

const decimal = (text: string) => Stripe.Decimal.from(text);

function amountOf(price: Stripe.Price, quantity?: number, currency = 'USD') {
  const result = priceAmount(priceParts.parse(price), quantity, currency);
  return result.kind === 'amount' ? toMinorUnits(result.scaled) : result;
}

function tiered(mode: string, ...tiers: Partial<Stripe.Price.Tier>[]): Stripe.Price {
  return buildPrice({
    billing_scheme: 'tiered',
    tiers_mode: mode,
    unit_amount: null,
    tiers: tiers.map(buildTier),
  });
}

const withoutScheme = (price: Stripe.Price): Stripe.Price => {
  Reflect.set(price, 'billing_scheme', null);
  return price;
};

const packages = (round: string) =>
  buildPrice({ unit_amount: 900, transform_quantity: { divide_by: 5, round } });
const subCent = buildPrice({ unit_amount: null, unit_amount_decimal: decimal('0.000000000001') });
const thirds = buildPrice({ unit_amount: null, unit_amount_decimal: decimal('33.333333333333') });
/** Fonts: 1-5 at 7.00, 6-10 at 6.50, more at 6.00. */
const fonts = [{ up_to: 5, unit_amount: 700 }, { up_to: 10, unit_amount: 650 }, { unit_amount: 600 }];
const withFlats = [
  { up_to: 5, unit_amount: 100, flat_amount: 1000 },
  { up_to: 10, flat_amount_decimal: decimal('2500.5') },
  { unit_amount_decimal: decimal('0.25'), flat_amount: 1 },
];

describe('priceAmount', () => {
  it.each<[string, Stripe.Price, number, number]>([
    ['per unit', buildPrice(), 3, 6000],
    ['per unit, none', buildPrice(), 0, 0],
    ['free', buildPrice({ unit_amount: 0 }), 7, 0],
    ['sub-cent, too few to matter', subCent, 499_999_999_999, 0],
    ['sub-cent, just half', subCent, 500_000_000_000, 1],
    ['fraction rounded once', thirds, 3, 100],
    ['packages up, exact', packages('up'), 10, 1800],
    ['packages up', packages('up'), 11, 2700],
    ['packages down', packages('down'), 14, 1800],
    ['packages up, none', packages('up'), 0, 0],
    ['graduated, first tier', tiered('graduated', ...fonts), 5, 3500],
    ['graduated, second tier', tiered('graduated', ...fonts), 6, 4150],
    ['graduated, last tier', tiered('graduated', ...fonts), 12, 7950],
    ['volume, first tier', tiered('volume', ...fonts), 5, 3500],
    ['volume, second tier', tiered('volume', ...fonts), 6, 3900],
    ['volume, last tier', tiered('volume', ...fonts), 20, 12000],
    ['graduated with flat parts, none', tiered('graduated', ...withFlats), 0, 1000],
    ['graduated with flat parts', tiered('graduated', ...withFlats), 5, 1500],
    ['graduated with decimal flat part', tiered('graduated', ...withFlats), 6, 4001],
    ['graduated with all flat parts', tiered('graduated', ...withFlats), 14, 4003],
    ['volume with flat parts, none', tiered('volume', ...withFlats), 0, 1000],
    ['volume with decimal flat part', tiered('volume', ...withFlats), 6, 2501],
    ['volume with decimal unit part', tiered('volume', ...withFlats), 14, 5],
    ['without a period', buildPrice({ recurring: null }), 2, 4000],
    ['without a scheme', withoutScheme(buildPrice()), 2, 4000],
    ['tiers without a scheme', withoutScheme(tiered('volume', ...fonts)), 5, 3500],
    ['metered', buildPrice({ recurring: metered() }), 9, 0],
    ['tiered metered without tiers', { ...tiered('volume'), recurring: metered(), tiers: [] }, 9, 0],
    [
      'custom amount with a unit amount',
      buildPrice({ custom_unit_amount: custom(), unit_amount: 500 }),
      2,
      1000,
    ],
  ])('priceAmount gives the amount of a price and quantity: %s', (_name, price, quantity, expected) => {
    expect(amountOf(price, quantity)).toBe(expected);
    expect(amountOf(asWebhookPayload(price), quantity)).toBe(expected);
  });

  it('priceAmount reads the subscription currency of a multi-currency price from its options', () => {
    const option = {
      custom_unit_amount: null,
      tax_behavior: null,
      unit_amount: 1800,
      unit_amount_decimal: null,
    };
    const price = buildPrice({ currency_options: { eur: option } });
    expect(amountOf(price, 2, 'EUR')).toBe(3600);
    const missing = { code: 'price_not_in_currency', priceId: 'price_1Basic', priceCurrency: 'USD' };
    for (const [one, currency] of [
      [price, 'GBP'],
      [buildPrice(), 'EUR'],
    ] as const)
      expect(amountOf(one, 2, currency)).toEqual({
        kind: 'incomplete_object',
        reason: { ...missing, currency },
      });
    const odd = asWebhookPayload(price);
    Reflect.set(odd, 'currency_options', { eur: { unit_amount: 'much' } });
    expect(amountOf(odd, 2, 'EUR')).toEqual({
      kind: 'unmappable',
      reason: {
        code: 'price_option_unreadable',
        priceId: 'price_1Basic',
        problem: expect.stringContaining('unit_amount'),
      },
    });
  });

  it.each<[string, Partial<Stripe.Price>, string]>([
    ['tiers not expanded', { billing_scheme: 'tiered', tiers_mode: 'volume' }, 'incomplete_object'],
    ['tiers that end too early', tiered('graduated', { up_to: 2, unit_amount: 1 }), 'unmappable'],
    ['volume tiers that end too early', tiered('volume', { up_to: 2, unit_amount: 1 }), 'unmappable'],
    ['tiers in a wrong order', tiered('graduated', { up_to: 2 }, { up_to: 1 }, {}), 'unmappable'],
    ['an unknown tiers mode', tiered('constructor', {}), 'unmappable'],
    ['an unknown scheme', { billing_scheme: 'constructor' }, 'unmappable'],
    ['an unknown rounding', { transform_quantity: { divide_by: 2, round: 'sideways' } }, 'unmappable'],
    ['no amount at all', { unit_amount: null, unit_amount_decimal: null }, 'unmappable'],
  ])('priceAmount gives a named reason for %s', (_name, overrides, kind) => {
    expect(amountOf(buildPrice(overrides), 3)).toMatchObject({
      kind,
      reason: { priceId: 'price_1Basic' },
    });
  });

  it('priceAmount says what it does not know, with or without a quantity', () => {
    const unknown = (part: string, value: string) => ({ code: 'price_unknown', part, value });
    const noMode = tiered('volume', {});
    Reflect.set(noMode, 'tiers_mode', null);
    const cases: [Stripe.Price, object][] = [
      [tiered('constructor', {}), unknown('tiers_mode', 'constructor')],
      [noMode, unknown('tiers_mode', 'none')],
      [buildPrice({ billing_scheme: 'by_weight' }), unknown('billing_scheme', 'by_weight')],
      [
        buildPrice({ transform_quantity: { divide_by: 2, round: 'sideways' } }),
        unknown('rounding', 'sideways'),
      ],
      [buildPrice({ unit_amount: null, unit_amount_decimal: null }), { code: 'price_without_amount' }],
      [tiered('volume'), { code: 'price_without_tier', units: '1' }],
    ];
    for (const [price, reason] of cases)
      for (const quantity of [1, undefined])
        expect(amountOf(price, quantity)).toEqual({
          kind: 'unmappable',
          reason: { ...reason, priceId: 'price_1Basic' },
        });
    expect(priceAmount(priceParts.parse(buildPrice({ recurring: metered() })), 3, 'USD')).toEqual({
      kind: 'amount',
      scaled: 0n,
      warnings: [],
    });
  });

  it('priceAmount takes a tier without a bound for the last one', () => {
    const price = asWebhookPayload(tiered('graduated', { unit_amount: 7 }));
    for (const tier of price.tiers ?? []) Reflect.deleteProperty(tier, 'up_to');
    expect(amountOf(price, 3)).toBe(21);
  });

  it.each<[string, Stripe.Price, number | undefined, number, string]>([
    ['no quantity counts as one', buildPrice(), undefined, 2000, 'no_quantity'],
    [
      'a custom amount counts as zero',
      buildPrice({ unit_amount: null, custom_unit_amount: custom() }),
      1,
      0,
      'custom_amount',
    ],
    [
      'an unknown usage type adds nothing',
      buildPrice({ recurring: metered('prepaid') }),
      1,
      0,
      'unknown_usage_type',
    ],
  ])('priceAmount warns that %s', (_name, price, quantity, expected, code) => {
    const result = priceAmount(priceParts.parse(price), quantity, 'USD');
    expect(result).toEqual({
      kind: 'amount',
      scaled: BigInt(expected) * 10n ** 12n,
      warnings: [expect.objectContaining({ code, priceId: 'price_1Basic' })],
    });
  });
});

describe('the amount of any price', () => {
  it('the amount of any per-unit price is linear in the quantity', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), (unit, a, b) => {
        const price = priceParts.parse(buildPrice({ unit_amount: unit }));
        expect(scaled(price, a + b)).toBe(scaled(price, a) + scaled(price, b));
      }),
    );
  });

  it('the amount of graduated tiers is the sum over single units and entered tiers', () => {
    fc.assert(
      fc.property(tierList(), fc.integer({ min: 1, max: 40 }), (tiers, quantity) => {
        expect(amountOf(tiered('graduated', ...tiers), quantity)).toBe(naiveGraduated(tiers, quantity));
      }),
    );
  });

  it('the amount of volume tiers is one tier for every unit', () => {
    fc.assert(
      fc.property(tierList(), fc.integer({ min: 1, max: 40 }), (tiers, quantity) => {
        expect(amountOf(tiered('volume', ...tiers), quantity)).toBe(naiveVolume(tiers, quantity));
      }),
    );
  });
});

interface PlainTier {
  up_to: number | null;
  unit_amount: number;
  flat_amount: number;
}

function tierList(): fc.Arbitrary<PlainTier[]> {
  const bounds = fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 5 });
  const amounts = fc.array(fc.tuple(fc.nat(5000), fc.nat(5000)), { minLength: 6, maxLength: 6 });
  return fc.tuple(bounds, amounts).map(([upTos, pairs]) =>
    [...upTos.toSorted((a, b) => a - b), null].map((up_to, index) => {
      const [unit_amount, flat_amount] = pairs[index] ?? [0, 0];
      return { up_to, unit_amount, flat_amount };
    }),
  );
}

/** Walks unit by unit: each costs what its own tier says, and entering a tier costs its flat part. */
function naiveGraduated(tiers: PlainTier[], quantity: number): number {
  const entered = new Set<PlainTier>();
  let sum = 0;
  for (let unit = 1; unit <= quantity; unit += 1) {
    const tier = tierOfUnit(tiers, unit);
    sum += tier.unit_amount + (entered.has(tier) ? 0 : tier.flat_amount);
    entered.add(tier);
  }
  return sum;
}

function naiveVolume(tiers: PlainTier[], quantity: number): number {
  const tier = tierOfUnit(tiers, quantity);
  let sum = tier.flat_amount;
  for (let unit = 1; unit <= quantity; unit += 1) sum += tier.unit_amount;
  return sum;
}

function tierOfUnit(tiers: PlainTier[], unit: number): PlainTier {
  const tier = tiers.find(({ up_to }) => up_to === null || unit <= up_to);
  if (!tier) throw new Error('the last tier has no bound');
  return tier;
}

function scaled(price: ReturnType<typeof priceParts.parse>, quantity: number): bigint {
  const result = priceAmount(price, quantity, 'USD');
  if (result.kind !== 'amount') throw new Error(describeReason(result.reason));
  return result.scaled;
}

function metered(usageType = 'metered'): Stripe.Price.Recurring {
  return {
    interval: 'month',
    interval_count: 1,
    meter: null,
    trial_period_days: null,
    usage_type: usageType,
  };
}

function custom(): Stripe.Price.CustomUnitAmount {
  return { maximum: null, minimum: 100, preset: null };
}
