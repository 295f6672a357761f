/** `mcp` as a client of the protocol sees it: a process of its own, asked over its standard input, before a running plugin. */
import { createServer as createHttpServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { z } from 'zod';
import { createServer, readInstallation } from '../../src/cli/mcp-command.ts';
import { API_ROUTES } from '../../src/plugin/operator/api/api-routes.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { closeServer, listenOnLoopback } from '../support/http/loopback-server.ts';
import { spawnCommand } from '../support/process/command-process.ts';
import { programOf } from '../support/process/compiled-program.ts';
import { inFull } from '../support/runner/full-run.ts';
import { failingInvoice, type Subscriber, statusOf, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

const FULL = 'an-operator-token-for-tests';
const READ = 'a-reader-token-for-tests-too';

type Failing = Subscriber & { readonly invoiceId: string };

let world: World;
const known: Record<'ada' | 'ben' | 'carla', Failing> = Object.create(null);
let reader: Client;
beforeAll(async () => {
  // The checks would ask for the sender's domain.
  const email = { smtpUrl: '', sendEmail: async () => {} };
  world = await createWorld({ plugin: { operatorToken: FULL, operatorReadToken: READ, ...email } });
  const [short, lost] = [
    { last4: '1111', fingerprint: 'a' },
    { last4: '2222', fingerprint: 'b' },
  ];
  known.carla = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'), { name: 'Carla' });
  const person = { name: 'Ben Byrne', email: 'ben@example.com' };
  known.ben = await failingInvoice(world, declinesTimes(9, 'lost_card', {}, lost), person);
  await world.advance({ days: 12 });
  known.ada = await failingInvoice(world, declinesTimes(9, 'insufficient_funds', {}, short));
  reader = await connect({ PUBLIC_URL: world.url, OPERATOR_READ_TOKEN: READ });
});
const opened: Client[] = [];
afterAll(async () => {
  for (const client of opened) await client.close();
  await world?.stop();
});

async function connect(settings: Record<string, string>, ...options: string[]): Promise<Client> {
  const { flags, file } = programOf('src/cli.ts');
  const client = createClient();
  const args = [...flags, file, 'mcp', ...options];
  const transport = new StdioClientTransport({ command: process.execPath, args, env: settings });
  await client.connect(transport);
  return client;
}

/** The same without a process of its own. */
async function connectHere(settings: Record<string, string>): Promise<Client> {
  const [transport, toClient] = InMemoryTransport.createLinkedPair();
  await createServer(readInstallation({}, settings)).connect(toClient);
  const client = createClient();
  await client.connect(transport);
  return client;
}

function createClient(): Client {
  const client = new Client({ name: 'a test', version: '1' });
  opened.push(client);
  return client;
}

const answered = z.object({
  isError: z.boolean().optional(),
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
});

async function call(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { isError, content } = answered.parse(await client.callTool({ name, arguments: given }));
  return { isError: isError ?? false, texts: content.map(({ text }) => text) };
}

/** What it says of everything that was asked, as one text. */
async function ask(name: string, given: Record<string, unknown> = {}): Promise<string> {
  return (await call(reader, name, given)).texts.join('\n');
}

type Question = [
  question: string,
  tool: string,
  given: (people: typeof known) => Record<string, unknown>,
  answer: string | ((people: typeof known) => string),
];
const nothing = () => ({});

test.each<Question>([
  ['Does anything need me?', 'readStatus', nothing, '"concerns":["cursors"],"needsPerson":true'],
  ['Is everything paused?', 'readStatus', nothing, '"pausedEffects":[]'],
  ['Does the service get our data?', 'readStatus', nothing, '"undelivered":{"count":0,"oldestAt":null}'],
  ['Is anything set up wrongly?', 'readChecks', nothing, '"title":"Stripe accepts the key"'],
  ['Do our retries recover more than Stripe’s?', 'readExperiment', nothing, '{"experiment":null}'],
  ['Who has to be called?', 'listNeedsAttention', nothing, '"words":"No response"'],
  ['Which invoices fail?', 'listFailingInvoices', nothing, ({ ada }) => ada.invoiceId],
  ['Which is the first page?', 'listFailingInvoices', () => ({ limit: 1 }), '"next":"'],
  [
    'What does Ben owe?',
    'listFailingInvoices',
    () => ({ email: 'ben@' }),
    '"amount":2000,"returned":0,"disputed":0,"currency":"usd"',
  ],
  [
    'What was recovered?',
    'listFailingInvoices',
    () => ({ state: 'recovered' }),
    ({ carla }) => carla.invoiceId,
  ],
  ['What recovered it?', 'listFailingInvoices', ({ carla }) => ({ customer: carla.customerId }), '"cause":"'],
  ['Whose card was lost?', 'listFailingInvoices', () => ({ reason: 'lost_card' }), 'Ben Byrne'],
  [
    'Why did it fail?',
    'readInvoice',
    ({ ada }) => ({ invoice: ada.invoiceId }),
    'Payment failed: insufficient funds',
  ],
  ['Was it paid?', 'readInvoice', ({ carla }) => ({ invoice: carla.invoiceId }), '"status":"paid"'],
  [
    'Did we write to Ben?',
    'readInvoice',
    ({ ben }) => ({ invoice: ben.invoiceId }),
    'Email sent: Please update your card. To ben@example.com',
  ],
  ['What comes next for Ada?', 'readCustomer', ({ ada }) => ({ customer: ada.customerId }), '"kind":"pay"'],
  [
    'Since when does Ben not pay?',
    'readCustomer',
    ({ ben }) => ({ customer: ben.customerId }),
    '"failingSince":"2026-03-02T',
  ],
  ['Do the emails help?', 'listEmailOutcomes', () => ({ days: 30 }), '"template":"card_update"'],
  [
    'Can I charge Ben?',
    'checkRetry',
    ({ ben }) => on(ben),
    'this card was declined on 2026-03-02 10:00:00 UTC (the bank asks not to try this card again)',
  ],
  [
    'What would a retry charge?',
    'checkRetry',
    ({ ada }) => on(ada),
    'Charge $20.00 to Visa\u00a0••••\u00a01111 of Ada Example now',
  ],
  ['What would stopping it do?', 'checkStop', ({ ada }) => on(ada), 'Nothing prevents it now.'],
  [
    'What would a pause hold back?',
    'checkPause',
    nothing,
    'Hold back all payments and emails until somebody resumes',
  ],
  [
    'What of an unknown invoice?',
    'readInvoice',
    () => ({ invoice: 'in_unknown' }),
    'Nothing is known about in_unknown.',
  ],
  ['And without its id?', 'checkRetry', nothing, 'invoice: '],
])('%s', async (_question, tool, given, answer) => {
  expect(await ask(tool, given(known))).toContain(typeof answer === 'string' ? answer : answer(known));
});

const on = ({ invoiceId: invoice }: Failing) => ({ parameters: { invoice } });

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

test('reading tools are all routes that a reader may ask, with what they take and that they change nothing', async () => {
  const { tools } = await reader.listTools();
  const isSecret = ({ path }: (typeof API_ROUTES)[number]) => path.includes('cardUpdateUrl');
  const readable = API_ROUTES.filter((route) => route.right === 'read' && !isSecret(route));
  expect(tools.map(({ name }) => name)).toEqual(readable.map(({ operationId }) => operationId));
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
  expect(tools.find(({ name }) => name === 'readCustomer')?.inputSchema).toMatchObject({
    properties: { customer: { type: 'string' }, account: { type: 'string' } },
    required: ['customer'],
  });
  expect(reader.getInstructions()).toContain('smallest unit');
});

test('a tool that changes something is neither offered nor done without --allow-writes', async () => {
  const { isError, texts } = await call(reader, 'stop', on(known.ada));
  expect([isError, texts]).toEqual([
    true,
    ['stop changes something, and this server only reads. Start it with --allow-writes and OPERATOR_TOKEN.'],
  ]);
  expect(await call(reader, 'cardUpdateUrl')).toEqual({
    isError: true,
    texts: ['There is no tool cardUpdateUrl.'],
  });
  expect(await storyOf(world, known.ada.invoiceId)).not.toContain('operator.stopped');
});

test('with --allow-writes a change is told in words, and the history has whose assistant made it', async () => {
  const writer = await connect(
    { OPERATOR_TOKEN: FULL },
    ...['--url', world.url, '--allow-writes', '--by', 'grace'],
  );
  const names = await namesOf(writer);
  expect(names).toEqual(expect.arrayContaining(['retry', 'checkRetry', 'stop', 'undo']));
  expect(names).not.toContain('cardUpdateUrl');
  const { tools } = await writer.listTools();
  const stop = tools.find(({ name }) => name === 'stop');
  expect(stop?.description).toMatch(/^Stop collecting an invoice .* Call checkStop first/);
  expect(stop?.annotations).toEqual({ readOnlyHint: false, destructiveHint: true });
  expect(Object.keys(stop?.inputSchema.properties ?? {})).toEqual(['reason', 'parameters']);
  const done = await call(writer, 'stop', { reason: 'the customer called', ...on(known.ada) });
  expect(done).toEqual({
    isError: false,
    texts: [expect.stringContaining(known.ada.invoiceId), expect.stringContaining('"outcome":"changed"')],
  });
  const [line] = await world.query<{ detail: object }>(
    `select detail from payment_retry.audit where kind = 'operator.stopped' and invoice_id = $1`,
    [known.ada.invoiceId],
  );
  expect(line?.detail).toMatchObject({ by: 'grace (mcp)', via: 'api', note: 'the customer called' });
  const refused = await call(writer, 'retry', on(known.ben));
  expect(refused).toEqual({ isError: true, texts: [expect.stringContaining('declined'), expect.anything()] });
  expect(statusOf(world, known.ben.invoiceId)).toBe('open');
});

test('a wrong token, another address and nobody there are one sentence each', async () => {
  const wrong = await connectHere({
    PUBLIC_URL: world.url,
    OPERATOR_READ_TOKEN: 'another-token-for-these-tests',
  });
  expect(await call(wrong, 'readStatus')).toEqual({
    isError: true,
    texts: [`The plugin at ${world.url} has another OPERATOR_READ_TOKEN or OPERATOR_TOKEN than this server.`],
  });
  const away = await connectHere({ PUBLIC_URL: 'http://127.0.0.1:9', OPERATOR_READ_TOKEN: READ });
  expect(await call(away, 'readStatus')).toEqual({
    isError: true,
    texts: [expect.stringMatching(/^Nothing at http:\/\/127\.0\.0\.1:9\/ answers as a plugin does: [^\n]*$/)],
  });
});

test('an answer that unpacks to more than 8 MB is not read to its end', async () => {
  const body = gzipSync(`"${'a'.repeat(9 * 1024 * 1024)}"`);
  const server = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body);
  });
  const url = await listenOnLoopback(server);
  try {
    const client = await connectHere({ PUBLIC_URL: url, OPERATOR_READ_TOKEN: READ });
    const { isError, texts } = await call(client, 'readStatus');
    expect([isError, texts]).toEqual([true, [expect.stringContaining('it sent more than 8 MB')]]);
  } finally {
    await closeServer(server);
  }
});

test('the token follows no redirect', async () => {
  const asked: string[] = [];
  const server = createHttpServer((request, response) => {
    asked.push(String(request.url));
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  try {
    const url = await listenOnLoopback(server);
    const sent = await connectHere({ PUBLIC_URL: url, OPERATOR_READ_TOKEN: READ });
    expect(await call(sent, 'readStatus')).toMatchObject({ isError: true });
    expect(asked).toEqual(['/api/v1/status']);
  } finally {
    await closeServer(server);
  }
});

const reads = { OPERATOR_READ_TOKEN: READ };

test('wrong use ends with exit code 2 and says what is missing', async () => {
  const command = spawnCommand(['mcp', '--allow-writes'], reads);
  expect(await command.ended).toBe(2);
  expect(command.output()).toContain('--allow-writes needs OPERATOR_TOKEN');
});

test.each([
  [{}, {}, 'OPERATOR_READ_TOKEN is needed'],
  [{ url: 'billing' }, reads, '--url billing is no address'],
  [{ url: 'http://billing.example.com' }, reads, 'must begin with https://'],
  [{ by: ' ' }, reads, '--by is a name'],
])('used with %j it says what is missing', (options, settings, said) => {
  expect(() => readInstallation(options, settings)).toThrow(said);
});

inFull('it ends when its client has gone', async () => {
  const command = spawnCommand('mcp', { OPERATOR_READ_TOKEN: READ });
  expect([await command.ended, command.output()]).toEqual([0, '']);
});
