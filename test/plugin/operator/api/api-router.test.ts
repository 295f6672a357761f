/** `/api/v1`: every operation and every refusal, held to the OpenAPI document. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';
import { API_ROUTES } from '../../../../src/plugin/operator/api/api-routes.ts';
import { OPERATIONS } from '../../../../src/plugin/operator/operations/operations.ts';
import { declinesTimes } from '../../../../src/workbench/sandbox/payment-behaviour.ts';
import { failingInvoice, payCalls, statusOf } from '../../../support/scenario.ts';
import { createWorld, type World } from '../../../support/world.ts';

const FULL = 'an-operator-token-for-tests';
const READ = 'a-reader-token-for-tests-too';
const node = z.record(z.string(), z.unknown());
const described = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        responses: z.record(
          z.string(),
          z.object({ content: z.record(z.string(), z.object({ schema: node })) }),
        ),
      }),
    ),
  ),
  components: z.object({ schemas: node }),
});

const shared = z.object({ components: z.object({ responses: node }) });
/** With each shared response where it is referred to. */
function withResponses(document: unknown): unknown {
  const { responses } = shared.parse(document).components;
  const text = JSON.stringify(document).replaceAll(
    /\{"\$ref":"#\/components\/responses\/(\w+)"\}/g,
    (_, name: string) => JSON.stringify(responses[name]),
  );
  return JSON.parse(text);
}

let world: World;
let document: z.output<typeof described>;
beforeAll(async () => {
  world = await createWorld({ isRemote: true, plugin: { operatorToken: FULL, operatorReadToken: READ } });
  document = described.parse(withResponses((await send('GET', '/openapi.json')).body));
});
afterAll(() => world?.stop());

test('every request and answer of the document is a named component', () => {
  const schemas = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .filter(({ operationId }) => operationId !== 'readDocument')
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap(({ content }) => Object.values(content).map(({ schema }) => schema));
  expect(schemas.length).toBeGreaterThan(100);
  const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
  const names = schemas.flatMap(({ $ref, anyOf }) =>
    Array.isArray(anyOf) ? anyOf.map((one: unknown) => node.parse(one).$ref) : [$ref],
  );
  expect(names.filter((name) => !known.includes(String(name)))).toEqual([]);
});

interface Sent {
  readonly body?: unknown;
  readonly token?: string;
  readonly key?: string;
}

async function send(method: string, path: string, { body, token = FULL, key }: Sent = {}) {
  const response = await fetch(`${world.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: z.unknown().parse(await response.json()),
  };
}

/** What the document says of an answer, read once. */
const answers = new Map<string, z.ZodType>();

function answerOf(method: string, template: string, status: number): z.ZodType {
  const place = `${method} ${template} ${status}`;
  const read = answers.get(place);
  if (read) return read;
  const known = document.paths[template]?.[method.toLowerCase()]?.responses[status];
  const schema = known?.content['application/json']?.schema;
  if (!schema) throw new Error(`${method} ${template} answered ${status}, which is not described`);
  const whole = JSON.stringify({
    ...schema,
    $defs: { ...(schema.$defs as object), ...document.components.schemas },
  });
  const answer = z.fromJSONSchema(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')));
  answers.set(place, answer);
  return answer;
}

/** What comes back fits the document, whatever it is. */
async function call(
  method: 'GET' | 'POST',
  template: string,
  sent: Sent & { readonly path?: string; readonly query?: string } = {},
) {
  const answer = await send(method, `${sent.path ?? template}${sent.query ?? ''}`, sent);
  const fits = answerOf(method, template, answer.status).safeParse(answer.body);
  if (!fits.success) throw new Error(`${method} ${template}: ${z.prettifyError(fits.error)}`);
  return answer;
}

const operate = (name: string, parameters: object, more: Sent = {}) =>
  call('POST', `/operations/${name}`, {
    body: { by: 'grace', reason: 'asked by email', parameters },
    ...more,
  });
const failing = () => failingInvoice(world, declinesTimes(1, 'insufficient_funds'));

test('the document of the API is valid OpenAPI 3.1 and has every route once', async () => {
  const { body } = await send('GET', '/openapi.json', { token: READ });
  const validator = new Validator();
  expect(await validator.validate(node.parse(structuredClone(body)))).toMatchObject({ valid: true });
  expect(() => validator.resolveRefs()).not.toThrow();
  expect(JSON.stringify(body).length).toBeLessThan(128_500);
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(ids).toHaveLength(API_ROUTES.length + 1);
  expect(new Set(ids).size).toBe(ids.length);
});

describe('two failed invoices', () => {
  let first: Awaited<ReturnType<typeof failing>>;
  let second: typeof first;
  beforeAll(async () => {
    [first, second] = [await failing(), await failing()];
  });
  afterAll(() => world.reset());

  test('the API reads the status, the list page by page, and an invoice', async () => {
    expect((await call('GET', '/status', { token: READ })).body).toMatchObject({
      needsPerson: false,
      money: { rows: [{ currency: 'usd', unpaid: { invoices: 2, amount: 4000 } }] },
    });
    const one = await call('GET', '/failing_invoices', { query: '?limit=1' });
    const { next, invoices } = z
      .object({ next: z.string(), invoices: z.array(z.object({ invoice: z.string() })) })
      .parse(one.body);
    const two = await call('GET', '/failing_invoices', { query: `?limit=1&after=${next}` });
    expect(two.body).toMatchObject({
      next: null,
      invoices: [{ currency: 'usd', amount: 2000, attempts: 1, customer: { email: 'ada@example.com' } }],
    });
    expect(
      [
        ...invoices,
        ...z.object({ invoices: z.array(z.object({ invoice: z.string() })) }).parse(two.body).invoices,
      ]
        .map(({ invoice }) => invoice)
        .sort(),
    ).toEqual([first.invoiceId, second.invoiceId].sort());
    const path = `/invoices/${first.invoiceId}`;
    expect((await call('GET', '/invoices/{invoice}', { path })).body).toMatchObject({
      state: { status: 'open' },
    });
    expect((await call('GET', '/invoices/{invoice}', { path: '/invoices/in_unknown' })).status).toBe(404);
  });

  test('what would stand against an operation can be asked with the token that only reads', async () => {
    const { invoiceId: invoice } = first;
    const body = { parameters: { invoice } };
    const check = await call('POST', '/operations/retry/check', { body, token: READ });
    expect(check.body).toMatchObject({ objection: { guard: 'network_limits' } });
    expect(await operate('retry', { invoice }, { token: READ })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    expect(payCalls(world, invoice)).toEqual([]);
  });

  test('a repeated request with its idempotency key is answered as before, and another one under the key is refused', async () => {
    const { invoiceId: invoice } = second;
    const first = await operate('stop', { invoice }, { key: 'one' });
    const again = await operate('stop', { invoice }, { key: 'one' });
    expect([first.body, again.headers.get('idempotent-replayed')]).toEqual([again.body, 'true']);
    expect((await operate('release', { invoice }, { key: 'one' })).status).toBe(409);
    await world.advance({ hours: 25 });
    expect((await operate('stop', { invoice }, { key: 'one' })).body).toMatchObject({
      code: 'stopped_already',
    });
  });
});

test('every operation answers as the document says: done, nothing to do, refused, unknown; of two people at once, one changes it', async () => {
  const { invoiceId: invoice } = await failing();
  await world.advance({ hours: 25 });
  const until = world.clock.now().plus({ days: 1 }).toISO();
  const expectAnswers = async (answers: [string, object, number, string][]) => {
    for (const [name, parameters, status, code] of answers)
      expect([name, await operate(name, parameters)]).toMatchObject([name, { status, body: { code } }]);
  };
  const pressTogether = async (name: string, code: string) => {
    const press = (by: string) =>
      call('POST', `/operations/${name}`, { body: { by, reason: 'at once', parameters: { invoice } } });
    const answers = await Promise.all(['ada', 'grace'].map(press));
    const codes = answers.map(({ body }) => z.object({ code: z.string() }).parse(body).code);
    expect([name, codes.sort()]).toEqual([name, [code, `${code}_already`]]);
  };
  await expectAnswers([
    ['postpone', { invoice, until }, 200, 'postponed'],
    ['postpone', { invoice, until }, 200, 'postponed_already'],
    ['postpone', { invoice, until: '2026-03-29T02:30', zone: 'Europe/Berlin' }, 409, 'no_such_time'],
    ['postpone', { invoice, until: '2020-01-01' }, 409, 'not_in_the_future'],
    ['sendEmailAgain', { invoice }, 409, 'no_email_before'],
  ]);
  await pressTogether('stop', 'stopped');
  await expectAnswers([
    ['stop', { invoice: 'in_unknown' }, 404, 'invoice_unknown'],
    ['retry', { invoice }, 409, 'guard_objects'],
  ]);
  await pressTogether('release', 'released');
  await pressTogether('retry', 'retry_planned');
  await expectAnswers([
    ['replay', {}, 409, 'nothing_asked'],
    ['replay', { events: 'all' }, 200, 'nothing_to_put_back'],
    ['dismiss', { records: ['sub_1'] }, 200, 'nothing_to_dismiss'],
    ['handBack', {}, 200, 'nothing_to_hand_back'],
    ['pause', { account: 'acct_unknown' }, 404, 'account_unknown'],
    ['pause', {}, 200, 'paused'],
    ['resume', {}, 200, 'resumed'],
  ]);
  for (const name of Object.keys(OPERATIONS))
    expect((await call('POST', `/operations/${name}`, { body: '[]' })).status).toBe(400);
  await world.settle();
  expect([statusOf(world, invoice), payCalls(world, invoice).length]).toEqual(['paid', 1]);
  // In the name of one of the two.
  const audit = await world.query<{ kind: string; detail: object }>(
    `select kind, detail from payment_retry.audit
     where kind in ('operator.stopped', 'operator.released', 'operator.retried') order by id`,
  );
  const line = { by: expect.stringMatching(/^(ada|grace)$/), via: 'api', note: 'at once' };
  expect(audit.map(({ detail }) => detail)).toEqual(Array(3).fill(expect.objectContaining(line)));
});

test('a body that is too large or cannot be read is answered as the document says', async () => {
  const { body } = await operate('stop', { invoice: 'x'.repeat(110_000) });
  expect(body).toMatchObject({ code: 'REQUEST_TOO_LARGE', message: expect.stringContaining('102400 bytes') });
  const broken = await call('POST', '/operations/stop', { body: '{"by":' });
  expect(broken).toMatchObject({ status: 400, body: { code: 'REQUEST_INVALID' } });
});

test('the API refuses a wrong token, an unknown path and a bad page parameter', async () => {
  expect(await call('GET', '/status', { token: 'a-token-of-somebody-else' })).toMatchObject({
    status: 401,
    body: { success: false, code: 'UNAUTHORIZED' },
  });
  expect((await send('GET', '/nothing')).status).toBe(404);
  expect((await send('GET', '/nothing', { token: 'x' })).status).toBe(401);
  expect((await call('GET', '/failing_invoices', { query: '?after=bogus' })).body).toMatchObject({
    message: expect.stringContaining('after'),
  });
  expect((await call('GET', '/failing_invoices', { query: '?limit=0' })).status).toBe(400);
});
