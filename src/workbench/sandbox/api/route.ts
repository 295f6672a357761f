import { z } from 'zod';
import { type ApiError, invalidParameter, retrieve } from '../api-error.ts';
import { type Collection, type Page, UnknownCursorError, type Within } from '../collection.ts';
import { created, isWithin, none, PAGE_PARAMETERS } from '../form-parameters.ts';
import { type List, listOf } from '../objects/wire.ts';
import type { World } from '../sandbox-world.ts';

export interface Route {
  method: 'get' | 'post' | 'delete';
  path: string;
  /** Version of a preview: the route exists only for calls in this version. */
  version?: string;
  answer: (world: World, request: RouteRequest) => object;
}

export interface RouteRequest {
  /** The `:id` of the path, empty where there is none. */
  id: string;
  /** Query or form, without `expand`. */
  params: unknown;
}

export function route<Schema extends z.ZodType>(
  method: Route['method'],
  path: string,
  schema: Schema,
  answer: (world: World, id: string, params: z.output<Schema>) => object,
): Route {
  return {
    method,
    path,
    answer: (world, { id, params }) => answer(world, id, parseParameters(schema, params)),
  };
}

/** Returns the parsed parameters, or throws Stripe's 400. Parameters that the sandbox does not simulate are refused, never ignored. */
function parseParameters<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw parameterError(parsed.error);
}

function parameterError(error: z.ZodError): ApiError {
  const [issue] = error.issues;
  if (issue === undefined) return invalidParameter('Invalid parameters', {});
  if (issue.code === 'unrecognized_keys') {
    const param = formName([...issue.path, ...issue.keys.slice(0, 1)]);
    return invalidParameter(`Received unknown parameter: ${param} (or one the sandbox does not simulate)`, {
      code: 'parameter_unknown',
      param,
    });
  }
  const param = formName(issue.path);
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  return isMissing
    ? invalidParameter(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
    : invalidParameter(`Invalid ${param}: ${issue.message}`, { param });
}

/** `items`, 0, `price` → `items[0][price]`. */
function formName(path: readonly PropertyKey[]): string {
  const [head = '', ...rest] = path.map(String);
  return head + rest.map((part) => `[${part}]`).join('');
}

/** Returns the object of an id; throws a 404 where there is none. */
export type Getter<T> = (world: World, id: string) => T;

/** Common parts of one kind of object's routes. */
export interface Resource<T extends { id: string }, Index extends string> {
  readonly get: Getter<T>;
  /** The route that shows one of them. */
  readonly retrieve: Route;
  /** A route with `/:id` and what follows it in the path, if anything, which does something to one of them. */
  act<Schema extends z.ZodType>(
    step: string,
    schema: Schema,
    answer: (world: World, item: T, params: z.output<Schema>) => object,
  ): Route;
  delete<Schema extends z.ZodType>(
    schema: Schema,
    answer: (world: World, item: T, params: z.output<Schema>) => object,
  ): Route;
  /** The route that lists them; with filters, `created` is one of them. */
  list(filters?: z.ZodRawShape, query?: FilterRules<T, Index>): Route;
}

/** A filter wants items that have its value in the field of its name, where no rule says otherwise. */
export interface FilterRules<T, Index extends string> {
  /** The index for each filter; the first given filter is used. */
  by?: Readonly<Record<string, Index>>;
  matches?: Readonly<Record<string, (item: T, wanted: unknown) => boolean>>;
}

/** `kind`: what Stripe calls it when there is none. */
export function resource<T extends { id: string }, Index extends string>(
  path: string,
  kind: string,
  from: (world: World) => Collection<T, Index>,
): Resource<T, Index> {
  const get = (world: World, id: string) => retrieve(from(world), kind, id);
  return {
    get,
    retrieve: route('get', `${path}/:id`, none, get),
    act: (step, schema, answer) =>
      route('post', `${path}/:id${step}`, schema, (world, id, params) =>
        answer(world, get(world, id), params),
      ),
    delete: (schema, answer) =>
      route('delete', `${path}/:id`, schema, (world, id, params) => answer(world, get(world, id), params)),
    list: (filters, { by = {}, matches = {} } = {}) => {
      const fields = { ...filters, ...PAGE_PARAMETERS, created: filters ? created : z.never().optional() };
      return route('get', path, z.strictObject(fields), (world, _id, { created: at, ...params }) => {
        const { limit: _, starting_after: __, ending_before: ___, ...given } = params;
        const wanted = Object.entries<unknown>(given);
        return listPage(from(world), params, {
          url: path,
          within: findIndex(wanted, by),
          matches: (item) =>
            isWithin(Number(Reflect.get(item, 'created')), at) &&
            wanted.every(
              ([name, value]) => matches[name]?.(item, value) ?? Reflect.get(item, name) === value,
            ),
        });
      });
    },
  };
}

export interface PageParameters {
  limit: number;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
}

export interface ListQuery<T, Index extends string> {
  url: string;
  within?: Within<Index> | undefined;
  matches?: (item: T) => boolean;
}

/** One page of a collection in Stripe's list form. */
export function listPage<T extends { id: string }, Index extends string>(
  collection: Collection<T, Index>,
  params: PageParameters,
  { url, within, matches = () => true }: ListQuery<T, Index>,
): List<T> {
  const page = findPage(() =>
    collection.page({
      within,
      startingAfter: params.starting_after,
      endingBefore: params.ending_before,
      limit: params.limit,
      matches,
    }),
  );
  return listOf(url, page.data, page.hasMore);
}

function findPage<T>(read: () => Page<T>): Page<T> {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnknownCursorError)) throw error;
    throw invalidParameter(error.message, { code: 'resource_missing', param: 'starting_after' });
  }
}

function findIndex<Index extends string>(
  wanted: readonly [name: string, value: unknown][],
  by: Readonly<Record<string, Index>>,
): Within<Index> | undefined {
  for (const name in by) {
    const key = wanted.find(([given]) => given === name)?.[1];
    const index = by[name];
    if (typeof key === 'string' && index !== undefined) return { index, key };
  }
  return undefined;
}
