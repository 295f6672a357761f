/** `/api/v1/mcp` as a client of the protocol sees it: the tools of the token's right, carried out in the process itself. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { z } from 'zod';
import { type ConsoleHarness, NOW, startConsole } from '../console/console-harness.ts';
import { insertFailedInvoice } from '../console/failure-rows.ts';

const FULL = 'an-operator-token-for-tests';
const READ = 'a-reader-token-for-tests-too';

const invoiceId = 'in_1';
let harness: ConsoleHarness;
const opened: Client[] = [];
beforeAll(async () => {
  harness = await startConsole({ settings: { operatorToken: FULL, operatorReadToken: READ } });
  await insertFailedInvoice(harness.database, { id: invoiceId, at: NOW.minus({ days: 1 }) });
});
afterAll(async () => {
  for (const client of opened) await client.close();
  await harness?.stop();
});

async function connect(token: string, by = ''): Promise<Client> {
  const client = new Client({ name: 'a test', version: '1' });
  opened.push(client);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${harness.url}/api/v1/mcp${by}`), {
    requestInit,
  });
  // The SDK's own types do not hold with exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return client;
}

const answered = z.object({
  isError: z.boolean().default(false),
  content: z.array(z.object({ text: z.string() })),
});

async function call(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { isError, content } = answered.parse(await client.callTool({ name, arguments: given }));
  return { isError, text: content.map(({ text }) => text).join('\n') };
}

const listStops = () =>
  harness.database.query<{ detail: object }>(
    "select detail from payment_retry.audit where kind = 'operator.stopped'",
  );

test('a reading token has the tools that read, and nothing else is done with it', async () => {
  const reader = await connect(READ);
  const { tools } = await reader.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['readStatus', 'checkStop']));
  expect(tools.map(({ name }) => name)).not.toContain('stop');
  expect((await call(reader, 'listFailingInvoices', { limit: 5 })).text).toContain(invoiceId);
  expect(await call(reader, 'stop', { parameters: { invoice: invoiceId } })).toEqual({
    isError: true,
    text: 'stop changes something, and this server only reads. Start it with --allow-writes and OPERATOR_TOKEN.',
  });
  expect(await listStops()).toEqual([]);
});

test('with the full token a change is made in the name that the address gives, and bad input is a sentence', async () => {
  const writer = await connect(FULL, '?by=grace');
  const done = await call(writer, 'stop', { reason: 'she called', parameters: { invoice: invoiceId } });
  expect(done).toMatchObject({ isError: false, text: expect.stringContaining('is stopped') });
  const [line] = await listStops();
  expect(line?.detail).toMatchObject({ by: 'grace (mcp)', via: 'api', note: 'she called' });
  expect(await call(writer, 'listFailingInvoices', { limit: 'many' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('limit'),
  });
  expect(await call(writer, 'readInvoice', { invoice: 'in_none' })).toMatchObject({ isError: true });
});

test.each([
  ['POST', 'Bearer a-token-that-nobody-gave', 401],
  ['GET', `Bearer ${READ}`, 405],
])('%s with %s is answered %d', async (method, authorization, status) => {
  const answer = await fetch(`${harness.url}/api/v1/mcp`, { method, headers: { authorization } });
  expect(answer.status).toBe(status);
  await answer.arrayBuffer();
});
