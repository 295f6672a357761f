import { z } from 'zod';
import { invalidParameter, retrieve } from '../api-error.ts';
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
import {
  formBoolean,
  formInteger,
  formMetadata,
  formTimeFilter,
  isWithin,
  PAGE_PARAMETERS,
} from './form-parameters.ts';
import { firstGiven, listPage, type Route, route } from './route.ts';

const none = z.strictObject({});
const text = z.string().optional();
const productFields = z.strictObject({ id: text, name: z.string(), metadata: formMetadata.optional() });
const tierFields = z.strictObject({
  up_to: z.union([z.literal('inf'), formInteger]),
  unit_amount: formInteger.optional(),
  unit_amount_decimal: text,
  flat_amount: formInteger.optional(),
  flat_amount_decimal: text,
});
const amountFields = {
  unit_amount: formInteger.optional(),
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
      interval_count: formInteger.optional(),
      usage_type: z.enum(['licensed', 'metered']).optional(),
      meter: text,
    })
    .optional(),
  billing_scheme: z.enum(['per_unit', 'tiered']).optional(),
  tiers_mode: z.enum(['graduated', 'volume']).optional(),
  transform_quantity: z.strictObject({ divide_by: formInteger, round: z.enum(['up', 'down']) }).optional(),
  nickname: text,
  lookup_key: text,
  metadata: formMetadata.optional(),
});
const listFields = z.strictObject({
  ...PAGE_PARAMETERS,
  active: formBoolean.optional(),
  created: formTimeFilter.optional(),
});

const activeField = z.strictObject({ active: formBoolean });

export const PRICE_ROUTES: readonly Route[] = [
  route('post', '/v1/products', productFields, (world, _id, params) => createProduct(world, params)),
  route('get', '/v1/products', listFields, (world, _id, params) =>
    listPage(world.products, params, {
      url: '/v1/products',
      matches: ({ active, created }) =>
        (params.active ?? active) === active && isWithin(created, params.created),
    }),
  ),
  route('get', '/v1/products/:id', none, getProduct),
  route('post', '/v1/products/:id', activeField, (world, id, { active }) =>
    Object.assign(getProduct(world, id), { active }),
  ),
  route('post', '/v1/prices', priceFields, (world, _id, params) => createPrice(world, params)),
  route('get', '/v1/prices', listFields.extend({ product: text, currency: text }), (world, _id, params) =>
    listPage(world.prices, params, {
      url: '/v1/prices',
      within: firstGiven({ product: params.product }),
      matches: ({ active, created, currency }) =>
        (params.active ?? active) === active &&
        (params.currency ?? currency) === currency &&
        isWithin(created, params.created),
    }),
  ),
  route('get', '/v1/prices/:id', none, getPrice),
  route('post', '/v1/prices/:id', activeField, (world, id, { active }) =>
    Object.assign(getPrice(world, id), { active }),
  ),
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

function getProduct(world: World, id: string): Product {
  return retrieve(world.products, 'product', id);
}

function getPrice(world: World, id: string): Price {
  return retrieve(world.prices, 'price', id);
}
