import { createServer } from 'node:http';
import { Validator } from '@seriousme/openapi-schema-validator';
import express, { type Express, type Router } from 'express';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { createMeasures } from '../../../src/core/telemetry/measures.ts';
import { createHttpApp, type HttpDeps } from '../../../src/service/http/http-app.ts';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';
import { API_KEY, type Harness, startHarness } from '../service-harness.ts';
import { failPayment } from '../service-messages.ts';
import {
  type Call,
  checkAgainst,
  createDocumentClient,
  type DocumentClient,
  type Operation,
} from './document-client.ts';

let harness: Harness;
let client: DocumentClient;
beforeAll(async () => {
  harness = await startHarness();
  client = await createDocumentClient(`${harness.url}/openapi.json`, API_KEY);
});
afterAll(() => harness.stop());

test('the document has only patterns that every engine reads', async () => {
  const document = JSON.stringify(await (await fetch(`${harness.url}/openapi.json`)).json());
  const patterns = [...document.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, text = '']) =>
    String(JSON.parse(text)),
  );
  expect(patterns.length).toBeGreaterThan(20);
  // Neither `\\u` nor `\\p{…}` nor looking around is known to all of them.
  expect(patterns.filter((pattern) => /\\[up]|\(\?[=!<]/.test(pattern))).toEqual([]);
});

function createApp(overrides: Partial<HttpDeps> = {}): Express {
  return createHttpApp({
    database: harness.database,
    clock: harness.clock,
    logger: silentLogger,
    enqueue: async () => {},
    requestsPerSecond: 1000,
    concurrentRequests: 5,
    trustProxy: false,
    measures: createMeasures(),
    findByKey: async (keyHash) => ({
      keyId: '1',
      keyHash,
      organization: 'default',
      requestsPerSecond: undefined,
    }),
    ...overrides,
  });
}

describe('the document', () => {
  test('the OpenAPI document is valid OpenAPI 3.1, with every reference resolved', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(client.document))).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(() => validator.resolveRefs()).not.toThrow();
  });

  test('the OpenAPI document would not be valid with a response that is not described', async () => {
    const broken = structuredClone(client.document);
    Object.assign(broken.paths['/healthz']?.get?.responses ?? {}, { '200': { content: {} } });
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
  });

  test('the OpenAPI document has every route of the service, and no other', () => {
    const described = client.operations.map(({ method, path }) => `${method} ${path}`);
    expect(described.sort()).toEqual(listRoutes(createApp().router).sort());
    expect(described.length).toBeGreaterThan(7);
    expect(new Set(client.operations.map(({ operationId }) => operationId)).size).toBe(described.length);
  });

  test('the service takes the OpenAPI document as its own: every example fits', () => {
    for (const { requestBody, operationId } of [
      ...client.operations,
      client.document.webhooks.recovery_action.post,
    ]) {
      const json = requestBody?.content['application/json'];
      if (json) checkAgainst(client.document, json.schema, json.example, operationId);
    }
    const { schema } =
      client.document.webhooks.recovery_action.post.requestBody?.content['application/json'] ?? {};
    expect(() => checkAgainst(client.document, schema ?? {}, { invoiceId: 'in_1' }, 'x')).toThrow(
      'requestId',
    );
  });
});

/** Pages for people are no part of the API. */
const PAGES = /^\/org\//;

/** `get /path` of every route of an app and of the routers in it. */
function listRoutes({ stack }: Router): string[] {
  return stack.flatMap(({ route, handle }) => {
    if (!route) return isRouter(handle) ? listRoutes(handle) : [];
    const methods = new Set(route.stack.map(({ method }) => method));
    return [route.path]
      .flat()
      .flatMap((path: string) => (PAGES.test(path) ? [] : [...methods].map((method) => `${method} ${path}`)));
  });
}

function isRouter(handle: unknown): handle is Router {
  return typeof handle === 'function' && 'stack' in handle;
}

const exampleOf = ({ requestBody }: Operation) => requestBody?.content['application/json'].example;
const byId = (id: string) => {
  const found = client.operations.find(({ operationId }) => operationId === id);
  if (!found) throw new Error(`The document has no ${id}.`);
  return found;
};

describe('every operation, called as the document says', () => {
  test('every operation, called as the OpenAPI document says, succeeds with an answer that the document describes', async () => {
    for (const operation of client.operations) {
      const answer = await client.call(operation, { body: exampleOf(operation) });
      expect(`${operation.operationId} ${answer.status}`).toBe(`${operation.operationId} 200`);
    }
  });

  test('the listing of actions takes every value of every parameter in the OpenAPI document', async () => {
    await failPayment(harness);
    await harness.pass({ days: 2 });
    await failPayment(harness, { id: 'ch_2' });
    const listing = byId('listRecoveryActions');
    expect(listing.parameters.length).toBeGreaterThan(10);
    for (const { name, schema } of listing.parameters) {
      for (const value of valuesFor(name, schema)) {
        const { body, status } = await client.call(listing, { query: { [name]: value } });
        expect([name, value, status]).toEqual([name, value, 200]);
        expect(body).toHaveProperty('totalSize', expect.any(Number));
      }
    }
    const { body } = await client.call(listing, {});
    expect(body).toMatchObject({ totalSize: 2, recoveryActions: [{ executedAt: expect.any(String) }, {}] });
  });

  test('the page token of a page leads to the next one', async () => {
    const listing = byId('listRecoveryActions');
    const { body } = await client.call(listing, { query: { pageSize: '1' } });
    const { nextPageToken } = Object(body);
    expect((await client.call(listing, { query: { pageToken: nextPageToken } })).body).toMatchObject({
      recoveryActions: [{}],
      nextPageToken: '',
    });
  });

  test('the listing of cases takes every value of its parameters, and leads on to the next page', async () => {
    const listing = byId('listRecoveryCases');
    expect(listing.parameters.map(({ name }) => name)).toEqual(['afterRevision', 'pageSize', 'invoiceId']);
    for (const { name, schema } of listing.parameters) {
      for (const value of valuesFor(name, schema)) {
        const { status } = await client.call(listing, { query: { [name]: value } });
        expect([name, value, status]).toEqual([name, value, 200]);
      }
    }
    await failPayment(harness, { id: 'ch_3', invoiceId: 'in_3' });
    const { body } = await client.call(listing, { query: { pageSize: '1' } });
    const [{ revision, invoiceId }] = Object(body).recoveryCases;
    const rest = await client.call(listing, { query: { afterRevision: String(revision) } });
    expect(rest.body).toMatchObject({ recoveryCases: [{ invoiceId: 'in_3' }], hasMore: false });
    expect([invoiceId, Object(body).hasMore]).toEqual(['in_1', true]);
  });

  test('the callback posts what the webhook in the OpenAPI document says', () => {
    const { requestBody } = client.document.webhooks.recovery_action.post;
    const schema = requestBody?.content['application/json'].schema ?? {};
    expect(harness.receiver.accepted.length).toBeGreaterThan(1);
    for (const posted of harness.receiver.accepted) checkAgainst(client.document, schema, posted, 'callback');
  });
});

/** What a parameter's schema allows, at its edges; a page token can only come from a page. */
function valuesFor(
  name: string,
  { type, format, minimum, maximum, ...schema }: Record<string, unknown>,
): string[] {
  if (name === 'pageToken') return [];
  if (Array.isArray(schema.enum)) return schema.enum;
  if (type === 'integer') return [String(minimum), String(maximum)];
  return format === 'date-time'
    ? ['2026-03-02T10:00:00Z', '2026-03-02T10:00:00.123+02:00']
    : ['x', 'x'.repeat(255)];
}

/** How each refusal is brought about: with another request, or with a service in trouble. */
const gone = () => Promise.reject(new Error('connect ECONNREFUSED'));
const REFUSALS: Record<number, { call?: (operation: Operation) => Call; app?: () => Express }> = {
  400: { call: ({ method }) => (method === 'post' ? { body: '{"' } : { query: { pageSize: '0' } }) },
  401: {
    call: (operation) => ({ body: exampleOf(operation), headers: { authorization: 'Bearer unknown' } }),
  },
  403: { app: () => express().use(fromAfar, createApp()) },
  413: { call: () => ({ body: JSON.stringify({ filler: 'x'.repeat(5 * 1024 * 1024) }) }) },
  415: {
    call: (operation) => ({ body: exampleOf(operation), headers: { 'content-encoding': 'unheard-of' } }),
  },
  429: { app: () => createApp({ concurrentRequests: 0 }) },
  500: { app: () => createApp({ findByKey: () => Promise.reject(new TypeError('inner detail')) }) },
  503: { app: () => createApp({ database: { ...harness.database, query: gone, transaction: gone } }) },
};

const fromAfar: express.RequestHandler = (request, _response, next) => {
  Object.defineProperty(request.socket, 'remoteAddress', { value: '192.0.2.1' });
  next();
};

describe('every refusal', () => {
  test.each(Object.entries(REFUSALS))(
    'a refusal with %s is answered as the OpenAPI document says, by all operations that have it',
    async (status, { call, app }) => {
      const server = app && createServer(app());
      const caller = server ? client.at(await listenOnLoopback(server)) : client;
      const asked = client.operations.filter(({ responses }) => responses[status]);
      expect(asked.length).toBeGreaterThan(3);
      for (const operation of asked) {
        const answer = await caller.call(operation, call?.(operation) ?? { body: exampleOf(operation) });
        expect(`${operation.operationId} ${answer.status}`).toBe(`${operation.operationId} ${status}`);
        expect(answer.headers.get('x-request-id')).toBe(Object(answer.body).requestId);
      }
      if (server) await closeServer(server);
    },
  );

  test('every refusal in the OpenAPI document is among those brought about in these tests', () => {
    const described = client.operations.flatMap(({ responses }) => Object.keys(responses));
    expect([...new Set(described)].sort()).toEqual(['200', ...Object.keys(REFUSALS)]);
  });

  test('the API answers 429 to a batch over the limit that the OpenAPI document names', async () => {
    for (const operation of client.operations.filter(({ operationId }) => operationId.startsWith('ingest'))) {
      const [[name, records] = ['', []]] = Object.entries<object[]>(Object(exampleOf(operation)));
      const { maxItems } = batchSchema(operation, name);
      const body = (count: number) => ({ [name]: Array.from({ length: count }, () => records[0]) });
      expect(await client.call(operation, { body: body(maxItems) })).toMatchObject({ status: 200 });
      expect(await client.call(operation, { body: body(maxItems + 1) })).toMatchObject({ status: 429 });
    }
  });
});

function batchSchema({ requestBody }: Operation, name: string): { maxItems: number } {
  const reference = String(requestBody?.content['application/json'].schema.$ref);
  return Object(client.document.components.schemas[reference.split('/').at(-1) ?? '']).properties[name];
}
