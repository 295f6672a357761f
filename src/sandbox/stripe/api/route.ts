import type { z } from 'zod';
import { invalidParameter } from '../api-error.ts';
import { type Collection, type Page, UnknownCursorError, type Within } from '../collection.ts';
import { type List, listOf } from '../objects/wire.ts';
import type { World } from '../sandbox-world.ts';
import { parseParameters } from './form-parameters.ts';

export interface Route {
  method: 'get' | 'post' | 'delete';
  path: string;
  /** Of a preview: it is there for calls in this version alone. */
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

/** The index of the first filter given. The predicate still applies every filter. */
export function firstGiven<Index extends string>(
  filters: Partial<Record<Index, string | undefined>>,
): Within<Index> | undefined {
  for (const index in filters) {
    const key = filters[index];
    if (key !== undefined) return { index, key };
  }
  return undefined;
}
