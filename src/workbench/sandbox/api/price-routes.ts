import { z } from 'zod';
import { invalidParameter } from '../api-error.ts';
import { flag, formBoolean, text } from '../form-parameters.ts';
import {
  buildCurrencyOption,
  buildPrice,
  buildProduct,
  buildTiers,
  type PriceInput,
  type ProductInput,
  priceParameters,
  productParameters,
} from '../objects/build-price.ts';
import type { CurrencyOption, Price, Product } from '../objects/wire.ts';
import { publish } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { type Route, resource, route } from './route.ts';

const activeField = z.strictObject({ active: formBoolean });

const products = resource('/v1/products', 'product', (world) => world.products);
const prices = resource('/v1/prices', 'price', (world) => world.prices);

export const PRICE_ROUTES: readonly Route[] = [
  route('post', '/v1/products', productParameters, (world, _id, params) => createProduct(world, params)),
  products.list({ active: flag }),
  products.retrieve,
  products.act('', activeField, (_world, product, changes) => Object.assign(product, changes)),
  route('post', '/v1/prices', priceParameters, (world, _id, params) => createPrice(world, params)),
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

function createProduct(world: World, input: ProductInput): Product {
  const product = world.products.add(buildProduct(input.id ?? world.ids.next('prod'), unixNow(world), input));
  publish(world, 'product.created', product);
  return product;
}
