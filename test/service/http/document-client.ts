/** A client that knows of the service only what its OpenAPI document says, and holds every answer to it. */
import { z } from 'zod';

const schemaNode = z.record(z.string(), z.unknown());
const media = z.object({
  'application/json': z.object({ schema: schemaNode, example: z.unknown().optional() }),
});
const headerNode = z.object({ required: z.boolean(), schema: schemaNode });
const parameter = z.object({
  name: z.string(),
  in: z.literal('query'),
  required: z.boolean(),
  schema: schemaNode,
});
const operation = z.object({
  operationId: z.string(),
  security: z.array(schemaNode).optional(),
  parameters: z.array(parameter).default([]),
  requestBody: z.object({ required: z.boolean(), content: media }).optional(),
  responses: z.record(z.string(), schemaNode),
});
const apiDocument = z.looseObject({
  servers: z.array(z.object({ url: z.string() })).min(1),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  webhooks: z.object({ recovery_action: z.object({ post: operation }) }),
  components: z.looseObject({ schemas: schemaNode }),
});
const response = z.object({ headers: z.record(z.string(), schemaNode).default({}), content: media });

export type ApiDocument = z.infer<typeof apiDocument>;
export type Operation = z.infer<typeof operation> & { method: string; path: string };

export interface Call {
  query?: Record<string, string>;
  /** Text is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface DocumentClient {
  readonly document: ApiDocument;
  readonly operations: readonly Operation[];
  /** Rejects if the answer is not one that the document describes. */
  call(operation: Operation, call: Call): Promise<{ status: number; body: unknown; headers: Headers }>;
  /** With the same document, but another server. */
  at(base: string): DocumentClient;
}

export async function createDocumentClient(documentUrl: string, apiKey: string): Promise<DocumentClient> {
  const document = apiDocument.parse(await (await fetch(documentUrl)).json());
  const base = new URL(document.servers[0]?.url ?? '', documentUrl).href;
  return speakWith(base.replace(/\/$/, ''), document, apiKey);
}

function speakWith(base: string, document: ApiDocument, apiKey: string): DocumentClient {
  return {
    document,
    operations: listOperations(document),
    at: (other) => speakWith(other, document, apiKey),
    call: async (asked, { query = {}, body, headers }) => {
      const isOpen = asked.security?.length === 0;
      const answer = await fetch(`${base}${asked.path}?${new URLSearchParams(query)}`, {
        method: asked.method.toUpperCase(),
        headers: {
          ...(isOpen ? {} : { authorization: `Bearer ${apiKey}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const content: unknown = await answer.json();
      checkAnswer(document, asked, answer, content);
      return { status: answer.status, body: content, headers: answer.headers };
    },
  };
}

function listOperations({ paths }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ ...described, method, path })),
  );
}

/** Whatever the document points at with `$ref`. */
function resolve(document: object, node: unknown): unknown {
  const pointer = schemaNode.safeParse(node).data?.$ref;
  if (typeof pointer !== 'string') return node;
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, name) => schemaNode.parse(inner)[name], document);
}

function checkAnswer(document: ApiDocument, asked: Operation, answer: Response, content: unknown): void {
  const place = `${asked.operationId} answered ${answer.status}`;
  const described = asked.responses[answer.status];
  if (!described) throw new Error(`${place}, which the document does not say: ${JSON.stringify(content)}`);
  const { headers, content: body } = response.parse(resolve(document, described));
  for (const [name, reference] of Object.entries(headers)) {
    const { schema } = headerNode.parse(resolve(document, reference));
    checkAgainst(document, schema, answer.headers.get(name), `${place}: header ${name}`);
  }
  checkAgainst(document, body['application/json'].schema, content, `${place}: body`);
}

/** To read a schema takes longer than any answer. */
const readers = new Map<string, z.ZodType>();

function readerOf(schema: string): z.ZodType {
  const reader = readers.get(schema) ?? z.fromJSONSchema(JSON.parse(schema));
  readers.set(schema, reader);
  return reader;
}

/** Throws where a value does not fit a schema of the document. */
export function checkAgainst(document: ApiDocument, schema: object, value: unknown, place: string): void {
  const { schemas } = document.components;
  const whole = JSON.stringify({ ...schema, $defs: schemas }).replaceAll('#/components/schemas/', '#/$defs/');
  const result = readerOf(whole).safeParse(value);
  if (!result.success) throw new Error(`${place} does not fit: ${z.prettifyError(result.error)}`);
}
