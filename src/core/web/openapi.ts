/** Writes the OpenAPI 3.1 documents: a table of routes, and zod's own JSON schemas as named components. */
import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

const addressOf = (name: string) => `#/components/schemas/${name}`;

export function refer(name: string): JsonSchema {
  return { $ref: addressOf(name) };
}

export function inJson(schema: JsonSchema, example?: object) {
  return { 'application/json': { schema, ...(example ? { example } : {}) } };
}

/** Schemas by name, for `components.schemas`; one within another becomes a reference. */
export function toComponents(
  schemas: Readonly<Record<string, z.ZodType>>,
  io: 'input' | 'output',
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, { io, uri: addressOf, unrepresentable: 'any' });
  return Object.fromEntries(
    Object.entries(converted.schemas).map(([name, { $id, $schema, ...schema }]) => [name, schema]),
  );
}

export interface DescribedRoute {
  readonly method: 'get' | 'post';
  /** The path with `{id}`, or `:id` in Express's form. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string | undefined;
  readonly parameters?: readonly object[];
  readonly body?: { readonly schema: JsonSchema; readonly example?: object; readonly required: boolean };
  /** Answers by status. */
  readonly answers: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  /** Statuses of refusals. */
  readonly refusals: readonly number[];
  /** Open to everybody. */
  readonly isOpen?: boolean;
}

/** Refusals by status: the name among `components.responses`, the meaning, and additional headers. */
export type Refusals = Readonly<
  Record<number, readonly [name: string, description: string, header?: string]>
>;

interface Described {
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly routes: readonly DescribedRoute[];
  readonly refusals: Refusals;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly headers?: Readonly<Record<string, object>>;
  /** The header of every answer, one of `headers`. */
  readonly everyHeader?: string;
  readonly parameters?: Readonly<Record<string, object>>;
  /** The first one is asked for where a route is not open. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly webhooks?: object;
}

/** Every refusal has the schema `Refusal`. */
export function writeOpenApi(api: Described) {
  const { title, summary, description, tags, routes, refusals, schemas, webhooks } = api;
  const [token = ''] = Object.keys(api.tokens);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: writeRoute(api, route) };
  }
  const responses = Object.values(refusals).map(([name, meaning, header]) => [
    name,
    { description: meaning, ...writeHeaders(api.everyHeader, header), content: inJson(refer('Refusal')) },
  ]);
  const securitySchemes = Object.entries(api.tokens).map(([name, meaning]) => [
    name,
    { type: 'http', scheme: 'bearer', description: meaning },
  ]);
  return {
    openapi: '3.1.1',
    info: { title, version: '1.0.0', summary, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '.', description: 'Where this document is.' }],
    security: [{ [token]: [] }],
    tags,
    paths,
    ...(webhooks && { webhooks }),
    components: {
      schemas,
      responses: Object.fromEntries(responses),
      securitySchemes: Object.fromEntries(securitySchemes),
      ...(api.parameters && { parameters: api.parameters }),
      ...(api.headers && { headers: api.headers }),
    },
  };
}

function writeRoute({ refusals, everyHeader }: Described, route: DescribedRoute): object {
  const { operationId, tag, summary, description, parameters = [], body, answers, isOpen } = route;
  const given = Object.entries(answers).map(([status, { description: meaning, schema }]) => [
    status,
    { description: meaning, ...writeHeaders(everyHeader), content: inJson(schema) },
  ]);
  const refused = route.refusals.map((status) => [
    String(status),
    { $ref: `#/components/responses/${refusals[status]?.[0]}` },
  ]);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(isOpen && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: body.required, content: inJson(body.schema, body.example) } }),
    responses: Object.fromEntries([...given, ...refused]),
  };
}

function writeHeaders(...names: readonly (string | undefined)[]) {
  const known = names.filter((name) => name !== undefined);
  if (known.length === 0) return {};
  return {
    headers: Object.fromEntries(known.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  };
}

/** Optional parameters of a query, each described where its schema is. */
export function listParameters(shape: Readonly<Record<string, z.ZodType>>): object[] {
  return Object.entries(toComponents(shape, 'input')).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

/** The route of the document itself. */
export function documentRoute(tag: string, description: string | undefined, more: object): DescribedRoute {
  return {
    method: 'get',
    path: '/openapi.json',
    operationId: 'readDocument',
    tag,
    summary: 'This document',
    description,
    answers: { 200: { description: 'OpenAPI 3.1.', schema: { type: 'object' } } },
    refusals: [],
    ...more,
  };
}
