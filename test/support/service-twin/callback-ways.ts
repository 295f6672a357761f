/** How a service may send its instructions, a row each. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { DateTime } from 'luxon';
import { tryJson } from '../../../src/core/base/try-json.ts';
import type { Check, Fault } from '../../../src/workbench/check-service/check-report.ts';
import type { SentenceId } from '../../../src/workbench/check-service/contract-sentences.ts';
import {
  type ClientUnderTest,
  type FailedInvoice,
  judgeOnce,
  type Stage,
  toCheck,
  type Way,
} from './client-under-test.ts';

interface CallbackWay extends Way {
  readonly run: (service: Sender) => Promise<Fault>;
}

interface How {
  readonly headers?: (token: string) => Readonly<Record<string, string>>;
  readonly isChunked?: boolean;
}

interface Sender {
  readonly client: ClientUnderTest;
  /** The body of its answer. */
  answerTo(body: unknown): Promise<unknown>;
  /** Gives the status; 0 where there was no answer. */
  send(body: unknown, how?: How): Promise<number>;
  /** Without waiting for the answer. */
  sendAndLeave(body: unknown): Promise<void>;
}

interface Spelling extends How {
  readonly of?: SentenceId;
}
const spelled = (
  title: string,
  spell: (instruction: Instruction, at: DateTime) => unknown,
  { of = 'callbackBody', ...how }: Spelling = {},
): CallbackWay => ({
  title: `${title} is carried out once`,
  of,
  run: async ({ client, send }) => {
    const failed = await client.failInvoice();
    const at = soonOf(client);
    const status = await send(spell(toInstruction(failed, at), at), how);
    return isTaken(status) ?? (await untilOnce(client, failed.invoiceId));
  },
});
const timed = (title: string, spell: (at: DateTime) => string | null): CallbackWay =>
  spelled(`a time ${title}`, (instruction, at) => ({ ...instruction, idealRetryTime: spell(at) }), {
    of: 'times',
  });

const inert = (
  title: string,
  spell: (instruction: Instruction) => unknown,
  of: SentenceId = 'suggestions',
): CallbackWay => ({
  title: `${title} is taken, and nothing is done`,
  of,
  run: async ({ client, send }) => {
    const failed = await client.failInvoice();
    const status = await send(spell(toInstruction(failed, client.now())));
    await client.stayQuiet();
    return isTaken(status) ?? never(client, failed.invoiceId);
  },
});

interface Refusal extends How {
  readonly statuses: readonly number[];
  readonly spell?: (instruction: Instruction) => unknown;
  readonly of?: SentenceId;
}
const refused = (
  title: string,
  { statuses, spell = (one) => one, of = 'callbackBody', ...how }: Refusal,
): CallbackWay => ({
  title: `${title} is refused, and nothing is done`,
  of,
  run: async ({ client, send }) => {
    const failed = await client.failInvoice();
    const status = await send(spell(toInstruction(failed, client.now())), how);
    await client.stayQuiet();
    return statuses.includes(status) ? never(client, failed.invoiceId) : `it answered ${status || 'nothing'}`;
  },
});

/** The same instruction more than once. */
const repeated = (
  title: string,
  sendAll: (service: Sender, body: Instruction) => Promise<unknown>,
): CallbackWay => ({
  title: `an instruction that comes ${title} is carried out once`,
  of: 'callbackAgain',
  run: async (service) => {
    const failed = await service.client.failInvoice();
    await sendAll(service, toInstruction(failed, soonOf(service.client)));
    return untilOnce(service.client, failed.invoiceId);
  },
});

const WAYS: readonly CallbackWay[] = [
  {
    title: 'the answer has success and message',
    of: 'callbackAnswer',
    run: async ({ client, answerTo }) => {
      const failed = await client.failInvoice();
      const { success, message } = Object(await answerTo(toInstruction(failed, soonOf(client))));
      return success === true && typeof message === 'string'
        ? undefined
        : `success is ${success}, message ${message}`;
    },
  },
  spelled("the contract's body", (instruction) => instruction, { of: 'callbackRequest' }),
  spelled('a body without subscriptionId', ({ subscriptionId: _id, ...instruction }) => instruction),
  spelled('null as its subscriptionId', (instruction) => ({ ...instruction, subscriptionId: null })),
  spelled('a body with more than the contract names', (instruction) => ({
    ...instruction,
    score: 0.7,
    more: { a: [1] },
  })),
  spelled('a body with its fields in another order and spaces', (instruction) =>
    JSON.stringify(Object.fromEntries(Object.entries(instruction).reverse()), null, 8),
  ),
  spelled('a body with escapes', (instruction) => JSON.stringify(instruction).replaceAll('_', '\\u005f')),
  spelled(
    'a body in an envelope',
    ({ requestId, ...data }) => ({ id: requestId, type: 'recovery_action', created: 1, data }),
    { of: 'suggestions' },
  ),
  spelled('a body whose type names its encoding', (one) => one, {
    headers: () => ({ 'content-type': 'application/json; charset=UTF-8' }),
  }),
  spelled('a body in chunks', (one) => one, { isChunked: true }),
  spelled('the word bearer in small letters', (one) => one, {
    of: 'callbackToken',
    headers: (token) => ({ authorization: `bearer ${token}` }),
  }),
  timed('with an offset', (at) => at.setZone('UTC+5:30').toISO()),
  timed('with nine digits of fractions', (at) => `${at.toFormat("yyyy-MM-dd'T'HH:mm:ss")}.123456789Z`),
  timed('without fractions', (at) => at.startOf('second').toISO({ suppressMilliseconds: true })),
  timed('without seconds', (at) => at.toFormat("yyyy-MM-dd'T'HH:mm'Z'")),
  timed('of an hour ago', (at) => at.minus({ hours: 1 }).toISO()),
  repeated('twice', async ({ send }, body) => {
    for (let times = 0; times < 2; times += 1) await send(body);
  }),
  repeated('five times at once', async ({ send }, body) => {
    await Promise.all([1, 2, 3, 4, 5].map(() => send(body)));
  }),
  repeated('again when it was carried out', async ({ client, send }, body) => {
    await send(body);
    await client.until(() => client.timesCarriedOut(body.invoiceId) > 0);
    await send(body);
  }),
  repeated('again as its answer was lost', async ({ send, sendAndLeave }, body) => {
    await sendAndLeave(body);
    await send(body);
  }),
  repeated('again in an envelope', async ({ send }, { requestId, ...data }) => {
    await send({ requestId, ...data });
    await send({ id: requestId, type: 'recovery_action', created: 1, data });
  }),
  repeated('with another for the same invoice', async ({ send }, body) => {
    await Promise.all([send(body), send({ ...body, requestId: nextId() })]);
  }),
  {
    title: 'an older instruction that comes again does not replace the newer one',
    of: 'callbackAgain',
    level: 'should',
    run: async ({ client, send }) => {
      const failed = await client.failInvoice();
      const first = soonOf(client);
      const later = first.plus(client.soon.mapUnits((value) => 4 * value));
      const older = toInstruction(failed, first);
      for (const instruction of [older, toInstruction(failed, later), older]) await send(instruction);
      await client.until(() => client.now() >= first.plus(client.soon));
      return never(client, failed.invoiceId) ?? (await untilOnce(client, failed.invoiceId));
    },
  },
  {
    title: 'instructions for five invoices at once are carried out once each',
    of: 'callbackAgain',
    run: async ({ client, send }) => {
      const invoices: FailedInvoice[] = [];
      while (invoices.length < 5) invoices.push(await client.failInvoice());
      await Promise.all(invoices.map((failed) => send(toInstruction(failed, soonOf(client)))));
      for (const { invoiceId } of invoices) {
        const fault = await untilOnce(client, invoiceId);
        if (fault !== undefined) return fault;
      }
      return undefined;
    },
  },
  inert('ACTION_SUGGESTION_UNSPECIFIED', (one) => ({
    ...one,
    actionSuggestion: 'ACTION_SUGGESTION_UNSPECIFIED',
  })),
  inert('an unknown suggestion', (one) => ({ ...one, actionSuggestion: 'ACTION_SUGGESTION_SING' })),
  inert('an envelope of an unknown type', (data) => ({ id: nextId(), type: 'weather', created: 1, data })),
  inert(
    'an instruction for an unknown invoice',
    (one) => ({ ...one, invoiceId: 'in_of_nobody' }),
    'invoices',
  ),
  refused('another token', {
    statuses: [401, 403],
    of: 'callbackToken',
    headers: () => ({ authorization: 'Bearer of-somebody-else' }),
  }),
  refused('a body that is no JSON', { statuses: [400, 422], spell: (one) => JSON.stringify(one).slice(1) }),
  refused('a body without its invoice', {
    statuses: [400, 422],
    spell: ({ invoiceId: _id, ...instruction }) => instruction,
  }),
];

/** Of a client that takes callbacks. */
export const callbackChecksOfClients = (callback: Callback): Check<Stage>[] =>
  WAYS.map((way) =>
    toCheck('Callback', way, ({ client }, { run }) =>
      run({
        client,
        send: async (body, how) => (await post(callback, body, how)).status,
        answerTo: async (body) => tryJson((await post(callback, body)).text),
        sendAndLeave: async (body) => {
          const end = new AbortController();
          const sent = post(callback, body, {}, end.signal);
          await wait(LEAVE_MS);
          end.abort();
          await sent;
        },
      }),
    ),
  );

export interface Callback {
  /** Without `/recovery_action`. */
  readonly url: string;
  readonly token: string;
}

const LEAVE_MS = 5;
const ANSWER_WITHIN_MS = 30_000;

async function post(
  { url, token }: Callback,
  body: unknown,
  { headers, isChunked = false }: How = {},
  signal = AbortSignal.timeout(ANSWER_WITHIN_MS),
): Promise<{ status: number; text: string }> {
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  const authorization = `Bearer ${token}`;
  try {
    const response = await fetch(`${url}/recovery_action`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ...headers?.(token) },
      ...(isChunked ? { body: new Blob([sent]).stream(), duplex: 'half' } : { body: sent }),
      redirect: 'manual',
      signal,
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: 0, text: '' };
  }
}

type Instruction = ReturnType<typeof toInstruction>;
const nextId = (): string => `sent_${randomUUID()}`;
const soonOf = (client: ClientUnderTest): DateTime => client.now().plus(client.soon);

function toInstruction(failed: FailedInvoice, at: DateTime) {
  const actionSuggestion = 'ACTION_SUGGESTION_RETRY';
  return { requestId: nextId(), ...failed, actionSuggestion, idealRetryTime: at.toISO() };
}

async function untilOnce(client: ClientUnderTest, invoiceId: string): Promise<Fault> {
  await client.until(() => client.timesCarriedOut(invoiceId) > 0);
  await client.stayQuiet();
  return judgeOnce(client, invoiceId);
}

const never = (client: ClientUnderTest, invoiceId: string): Fault =>
  client.timesCarriedOut(invoiceId) === 0 ? undefined : `an instruction for ${invoiceId} was carried out`;
const isTaken = (status: number): Fault =>
  status >= 200 && status < 300 ? undefined : `it answered ${status || 'nothing'}`;
