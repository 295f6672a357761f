/**
 * A stand-in for a retry service: it asks for a retry RETRY_AFTER_HOURS after each failed payment. For a first look: it keeps
 * nothing, and checks nothing but the key.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { json } from 'node:stream/consumers';

const { PORT = '9000', API_KEY, CALLBACK_URL, CALLBACK_TOKEN, RETRY_AFTER_HOURS = '1.1' } = process.env;
const { TLS_CERT, TLS_KEY } = process.env;
const decided = new Set();

function decide({ id, state, invoiceId, subscriptionId, createdAt }) {
  if (state !== 'TRANSACTION_STATE_FAILED' || decided.has(id)) return;
  decided.add(id);
  const idealRetryTime = new Date(
    Date.parse(createdAt) + Number(RETRY_AFTER_HOURS) * 3_600_000,
  ).toISOString();
  const actionSuggestion = 'ACTION_SUGGESTION_RETRY';
  void send({ requestId: randomUUID(), invoiceId, subscriptionId, actionSuggestion, idealRetryTime }, 1_000);
}

/** Until it is taken, with pauses that double. */
async function send(instruction, waitMs) {
  const headers = { authorization: `Bearer ${CALLBACK_TOKEN}`, 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(instruction) };
  const answer = await fetch(`${CALLBACK_URL}/recovery_action`, request).catch(() => undefined);
  if (!answer?.ok) return void setTimeout(() => send(instruction, 2 * waitMs), waitMs);
  const { message } = await answer.json();
  process.stdout.write(`${instruction.invoiceId}: ${message}\n`);
}

async function answer({ method, url, headers }, body) {
  if (headers.authorization !== `Bearer ${API_KEY}`) return { status: 401 };
  if (method === 'GET' && url.startsWith('/v1/recovery_actions'))
    return { status: 200, recoveryActions: [], nextPageToken: '', totalSize: 0 };
  const kind = /^\/ingest\/v1\/(subscriptions|invoices|transactions)$/.exec(url)?.[1];
  if (method !== 'POST' || kind === undefined) return { status: 404 };
  if (kind === 'transactions') for (const transaction of body.transactions) decide(transaction);
  return { status: 200, requestId: randomUUID() };
}

async function serve(request, response) {
  const body = request.method === 'POST' ? json(request) : Promise.resolve();
  // What is no JSON, or none of the contract, cannot be read.
  const { status, ...said } = await body.then((read) => answer(request, read)).catch(() => ({ status: 400 }));
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
}

const isTls = TLS_CERT !== undefined;
const server = isTls
  ? createTlsServer({ cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) }, serve)
  : createServer(serve);
server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`listening at ${isTls ? 'https' : 'http'}://localhost:${server.address().port}\n`);
});
