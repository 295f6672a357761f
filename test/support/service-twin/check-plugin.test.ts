/** The twin's ways are kept by the plugin and by a small client; what a broken one does is found. */
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { SubscriptionMessage } from '../../../src/core/contract/contract.ts';
import { type CheckResult, runChecks } from '../../../src/workbench/check-service/check-report.ts';
import { newMigratedDirectory } from '../database/data-directory.ts';
import { closeServer, listenOnLoopback } from '../http/loopback-server.ts';
import { IS_FULL_RUN } from '../runner/full-run.ts';
import { REQUEST_CHECKS } from '../service/contract-departures.ts';
import { clientChecks, openOwnStage, runCheckPlugin } from './check-plugin-command.ts';
import { createToldClient } from './told-client.ts';
import { startTwin } from './twin-service.ts';

const KEY = 'key-of-the-twin';
const TOKEN = 'token-of-the-small-client';
const silent = () => {};
const faultsOf = (results: readonly CheckResult[]) =>
  results.flatMap(({ title, fault }) => (fault === undefined ? [] : [`${title}: ${fault}`]));

/** Of each kind the ways that hold a client up; all of them in a full run. */
const SHARE = [
  'after a connection that is cut before the answer all is sent again',
  '429 with Retry-After as a date is heeded',
  '413 for a record does not hold up the others',
  'what changes while a request is under way is told after it, when that is taken and never answered',
  'a token that has expired within a list ends nothing',
  'records that are pushed to a later page come twice and count once',
  'an instruction that comes five times at once is carried out once',
  'an instruction for an unknown invoice is taken, and nothing is done',
  'the answer has success and message',
  ...REQUEST_CHECKS.map(({ title }) => title),
];

test('the plugin loses nothing, tells nothing older after newer, and carries out each instruction once', async () => {
  const dataDir = newMigratedDirectory();
  const { stage, callback, close } = await openOwnStage(1, { dataDir });
  try {
    const all = clientChecks(callback);
    const checks = IS_FULL_RUN ? all : all.filter(({ title }) => SHARE.includes(title));
    expect(checks.length).toBeGreaterThanOrEqual(IS_FULL_RUN ? 100 : SHARE.length);
    expect(faultsOf(await runChecks(stage, checks, silent))).toEqual([]);
  } finally {
    await close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

interface Flaws {
  /** What a request failed with is forgotten. */
  drops?: boolean;
  /** What a request failed with is sent once more after what is newer. */
  repeatsOlder?: boolean;
  /** What the service asks it to wait for is not heeded. */
  isHasty?: boolean;
  /** An instruction that comes again is carried out again. */
  carriesOutTwice?: boolean;
  /** Only 200 is a success to it. */
  isNarrow?: boolean;
}

type Outbox = Map<string, SubscriptionMessage>;

/** Everything that a client of the service has to have, in memory. */
async function startSmallClient(twinUrl: string, key: string, flaws: Flaws = {}) {
  const outbox: Outbox = new Map();
  const failed = new Set<string>();
  const late: SubscriptionMessage[][] = [];
  const timers = new Set<Promise<unknown>>();
  const end = new AbortController();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const ask = (path: string, body?: unknown) =>
    fetch(`${twinUrl}${path}`, {
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  let failures = 0;

  async function hear(): Promise<void> {
    const { subscriptions, failedInvoices } = (await (await ask('/check/changes')).json()) as {
      subscriptions: SubscriptionMessage[];
      failedInvoices: { invoiceId: string }[];
    };
    for (const record of subscriptions) outbox.set(record.id, record);
    for (const { invoiceId } of failedInvoices) failed.add(invoiceId);
  }

  async function deliver(records: SubscriptionMessage[]): Promise<void> {
    const answer = await ask('/ingest/v1/subscriptions', { subscriptions: records })
      .then(async (response) => ({ response, text: await response.text() }))
      .catch(() => undefined);
    const status = answer?.response.status ?? 0;
    const isTaken = flaws.isNarrow ? status === 200 : status >= 200 && status < 300;
    if (isTaken || (status === 413 && records.length === 1)) {
      failures = 0;
      for (const record of records) if (outbox.get(record.id) === record) outbox.delete(record.id);
      return;
    }
    if (status === 413) {
      for (const record of records) await deliver([record]);
      return;
    }
    if (flaws.drops) for (const { id } of records) outbox.delete(id);
    if (flaws.repeatsOlder) late.push(records);
    const asked = 1000 * Number(answer?.response.headers.get('retry-after') ?? 0);
    await wait(Math.max(flaws.isHasty ? 0 : asked, 20 * 2 ** failures++), undefined, { signal: end.signal });
  }

  async function turn(): Promise<void> {
    await hear();
    const before = outbox.size;
    if (before > 0) await deliver([...outbox.values()].slice(0, 100));
    const older = before > 0 && outbox.size === 0 ? late.shift() : undefined;
    if (older) await deliver(older);
  }

  const seen = new Set<string>();
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end();
    const { requestId, invoiceId, idealRetryTime } = JSON.parse(await readText(request));
    response.end(JSON.stringify({ success: true, message: 'Taken.' }));
    if (!failed.has(invoiceId) || (seen.has(requestId) && !flaws.carriesOutTwice)) return;
    seen.add(requestId);
    const inMs = Date.parse(idealRetryTime) - Date.now();
    const run = wait(inMs, undefined, { signal: end.signal }).then(() =>
      ask('/check/carried-out', { invoiceId }),
    );
    timers.add(run.catch(silent));
  }

  const server = createServer((request, response) => void take(request, response));
  const url = await listenOnLoopback(server);
  const loop = (async () => {
    while (!end.signal.aborted) await turn().then(() => wait(10), silent);
  })();
  return {
    url,
    stop: async () => {
      end.abort();
      await Promise.all([loop, ...timers]);
      await closeServer(server);
    },
  };
}

async function check(titles: readonly string[], flaws?: Flaws): Promise<string[]> {
  const { client, answer } = createToldClient({ longestMs: 1500, quietMs: 200 });
  const twin = await startTwin({ key: KEY, now: client.now, beside: answer });
  const small = await startSmallClient(twin.url, KEY, flaws);
  try {
    const checks = clientChecks({ url: small.url, token: TOKEN }).filter(({ title }) =>
      titles.includes(title),
    );
    expect(checks).toHaveLength(titles.length);
    return faultsOf(await runChecks({ twin, client, uniform: () => 0.5 }, checks, silent));
  } finally {
    await small.stop();
    await twin.close();
  }
}

const CUT = 'after a connection that is cut before the work all is sent again';
const ACCEPTED = '202 without a body acknowledges';
const WAITS = '429 with Retry-After in seconds is heeded';
const REFUSES = '413 for a record does not hold up the others';
const TWICE = 'an instruction that comes twice is carried out once';
const AGAIN = 'what was acknowledged is not sent again';

test('a small client that keeps the contract has no faults', async () => {
  const token = 'another token is refused, and nothing is done';
  expect(await check([CUT, ACCEPTED, WAITS, REFUSES, TWICE, token, AGAIN])).toEqual([]);
});

test.each<[Flaws, string, RegExp]>([
  [{ drops: true }, CUT, /lost: /],
  [{ repeatsOlder: true }, CUT, /older after newer: change \d of .* came after change \d/],
  [{ isHasty: true }, WAITS, /asked to wait 2000 ms, it came again after \d+ ms/],
  [{ carriesOutTwice: true }, TWICE, /it was carried out 2 times/],
])('a client that %j is found', async (flaws, way, fault) => {
  expect(await check([way], flaws)).toEqual([expect.stringMatching(fault)]);
});

test('a client that sends again what was acknowledged is found by the rows that look back', async () => {
  expect(await check([ACCEPTED, AGAIN], { isNarrow: true })).toEqual([
    expect.stringMatching(/^what was acknowledged is not sent again: \d+ records were$/),
  ]);
});

test('check-plugin --listen says where the service is, plays a way, and ends with 0 or 1', async () => {
  const played = async (flaws: Flaws) => {
    const said: string[] = [];
    let small: Awaited<ReturnType<typeof startSmallClient>> | undefined;
    const only = 'Ingest: after 500 for a while';
    const code = await runCheckPlugin({ listen: '0', wait: '1', only }, (text) => {
      said.push(text);
      const [, url, key] = /is at (\S+), and its key is (\S+)\./.exec(text) ?? [];
      if (url && key) void startSmallClient(url, key, flaws).then((started) => (small = started));
    });
    await small?.stop();
    return { code, text: said.join('') };
  };
  const kept = await played({});
  expect(kept.text).toContain('ok      Ingest: after 500 for a while all is sent again\n');
  expect(kept).toMatchObject({
    code: 0,
    text: expect.stringContaining('The plugin keeps the contract. 1 checks'),
  });
  expect(await played({ drops: true })).toMatchObject({ code: 1, text: expect.stringContaining('BROKEN') });
});

test('check-plugin refuses options that do not belong together', async () => {
  await expect(runCheckPlugin({ token: 'x' }, silent)).rejects.toThrow('belong together');
  await expect(runCheckPlugin({ token: 'x', callback: 'http://localhost' }, silent)).rejects.toThrow(
    '--listen',
  );
  await expect(runCheckPlugin({ listen: 'no' }, silent)).rejects.toThrow('--listen is a port');
});
