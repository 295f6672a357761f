import { z } from 'zod';
import { invalidParameter } from '../api-error.ts';
import {
  buildCurrencyOption,
  buildPrice,
  buildProduct,
  buildTiers,
  type PriceInput,
} from '../objects/build-price.ts';
import type { CurrencyOption, Price, Product } from '../objects/wire.ts';
import { publish } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { flag, formBoolean, formInteger, integer, metadata, text } from './form-parameters.ts';
import { type Route, resource, route } from './route.ts';

const productFields = z.strictObject({ id: text, name: z.string(), metadata });
const tierFields = z.strictObject({
  up_to: z.union([z.literal('inf'), formInteger]),
  unit_amount: integer,
  unit_amount_decimal: text,
  flat_amount: integer,
  flat_amount_decimal: text,
});
const amountFields = {
  unit_amount: integer,
  unit_amount_decimal: text,
  tiers: z.array(tierFields).optional(),
  custom_unit_amount: z.strictObject({ enabled: formBoolean }).optional(),
};
const priceFields = z.strictObject({
  ...amountFields,
  currency: z.string(),
  currency_options: z.record(z.string(), z.strictObject(amountFields)).optional(),
  product: text,
  product_data: productFields.optional(),
  recurring: z
    .strictObject({
      interval: z.enum(['day', 'week', 'month', 'year']),
      interval_count: integer,
      usage_type: z.enum(['licensed', 'metered']).optional(),
      meter: text,
    })
    .optional(),
  billing_scheme: z.enum(['per_unit', 'tiered']).optional(),
  tiers_mode: z.enum(['graduated', 'volume']).optional(),
  transform_quantity: z.strictObject({ divide_by: formInteger, round: z.enum(['up', 'down']) }).optional(),
  nickname: text,
  lookup_key: text,
  metadata,
});
const activeField = z.strictObject({ active: formBoolean });

const products = resource('/v1/products', 'product', (world) => world.products);
const prices = resource('/v1/prices', 'price', (world) => world.prices);

export const PRICE_ROUTES: readonly Route[] = [
  route('post', '/v1/products', productFields, (world, _id, params) => createProduct(world, params)),
  products.list({ active: flag }),
  products.retrieve,
  products.act('', activeField, (_world, product, changes) => Object.assign(product, changes)),
  route('post', '/v1/prices', priceFields, (world, _id, params) => createPrice(world, params)),
  prices.list({ active: flag, product: text, currency: text }, { by: { product: 'product' } }),
  prices.retrieve,
  prices.act('', activeField, (_world, price, changes) => Object.assign(price, changes)),
];

export function createPrice(world: World, input: PriceInput): Price {
  const product = input.product ?? productFor(world, input).id;
  const price = world.prices.add(buildPrice(world.ids.next('price'), unixNow(world), { ...input, product }));
  world.currencyOptions.set(price.id, createOptions(world, input));
  publish(world, 'price.created', price);
  return price;
}

function createOptions(world: World, input: PriceInput): Record<string, CurrencyOption> {
  const inputs = { ...input.currency_options, [input.currency]: input };
  return Object.fromEntries(
    Object.entries(inputs).map(([currency, amounts]) => {
      const option = buildCurrencyOption(amounts);
      if (amounts.tiers !== undefined) world.tiers.set(option, buildTiers(amounts.tiers));
      return [currency, option];
    }),
  );
}

function productFor(world: World, input: PriceInput): Product {
  if (input.product_data !== undefined) return createProduct(world, input.product_data);
  throw invalidParameter('You must give a product or product_data.', {
    code: 'parameter_missing',
    param: 'product',
  });
}

function createProduct(
  world: World,
  input: { id?: string | undefined; name: string; metadata?: Record<string, string> | undefined },
): Product {
  const product = world.products.add(buildProduct(input.id ?? world.ids.next('prod'), unixNow(world), input));
  publish(world, 'product.created', product);
  return product;
}
