/** The checks hold against two services that keep the contract, and find what others break. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { runCheckService } from '../../../src/cli/check-service-command.ts';
import { systemClock } from '../../../src/core/base/clock.ts';
import {
  callbackChecks,
  type Delivery,
  type Receiver,
} from '../../../src/workbench/check-service/callback-checks.ts';
import {
  type CheckResult,
  isBroken,
  runChecks,
  toJUnit,
} from '../../../src/workbench/check-service/check-report.ts';
import { CHECKS } from '../../../src/workbench/check-service/checks.ts';
import { openService } from '../../../src/workbench/check-service/service-under-test.ts';
import { API_KEY, startHarness } from '../../service/service-harness.ts';
import { eventually } from '../../support/eventually.ts';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';

const PAGE = readFileSync(new URL('../../../docs/how-to/your-own-retry-service.md', import.meta.url), 'utf8');
const CODE = /```js\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? '';
const TOKEN = 'token_for_tests';
const silent = () => {};
const faultsOf = (results: readonly CheckResult[]) =>
  results.filter(({ fault }) => fault !== undefined).map(({ title, fault }) => `${title}: ${fault}`);

/** As the command's, on a port of its own; time passes by `pass`. */
async function openReceiver() {
  const deliveries: Delivery[] = [];
  const server = createServer(async (request, response) => {
    const body: unknown = JSON.parse(await readText(request));
    const { authorization, 'content-type': contentType } = request.headers;
    deliveries.push({ authorization, contentType, body });
    const isTaken = deliveries.length > 1;
    response.writeHead(isTaken ? 200 : 500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: isTaken, message: '' }));
  });
  const url = await listenOnLoopback(server);
  const toReceiver = (pass: () => Promise<void>): Receiver => ({
    deliveries,
    waitFor: async (count) => {
      for (let tries = 0; tries < 100 && deliveries.length < count; tries += 1) await pass();
      return deliveries.length >= count;
    },
    stayQuiet: pass,
  });
  return { url, toReceiver, close: () => closeServer(server) };
}

test('an answer that unpacks to more than 8 MB is not read to its end', async () => {
  const body = gzipSync('a'.repeat(9 * 1024 * 1024));
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
  });
  const url = new URL(await listenOnLoopback(server));
  try {
    const service = openService({ url, key: API_KEY }, systemClock);
    await expect(service.list()).rejects.toThrow('answered with more than 8 MB');
  } finally {
    await closeServer(server);
  }
});

test('the embedded service keeps the contract, its callbacks included, and no advice is left', async () => {
  const { url, toReceiver, close } = await openReceiver();
  const callback = { baseUrl: url, token: TOKEN };
  const organizations = [{ name: 'default', apiKeys: [API_KEY], callback }];
  const harness = await startHarness({ organizations });
  try {
    const service = openService({ url: new URL(harness.url), key: API_KEY }, harness.clock);
    const checks = [
      ...callbackChecks(
        toReceiver(() => harness.pass({ minutes: 30 })),
        TOKEN,
      ),
      ...CHECKS,
    ];
    const results = await runChecks(service, checks, silent);
    expect(faultsOf(results)).toEqual([]);
    expect(results.length).toBeGreaterThan(25);
  } finally {
    await harness.stop();
    await close();
  }
});

/** A process that runs each service that it is sent, on a port of its own. */
const HOST = `process.on('message', async ({ code, ...settings }) => {
  Object.assign(process.env, settings);
  await import('data:text/javascript,' + encodeURIComponent(code));
});`;

let running: ChildProcess;
beforeAll(() => {
  running = spawn(process.execPath, ['--input-type=module', '--eval', HOST], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { API_KEY, CALLBACK_TOKEN: TOKEN },
  });
});
afterAll(async () => {
  if (running.exitCode !== null) return;
  running.kill('SIGKILL');
  await once(running, 'exit');
});

/** The page's service, or another. */
async function start(code: string, callbackUrl = 'http://127.0.0.1:9'): Promise<URL> {
  const place = createServer();
  const url = new URL(await listenOnLoopback(place));
  await closeServer(place);
  // Two with the same text are two modules.
  running.send({ code: `${code}\n// ${url.port}`, PORT: url.port, CALLBACK_URL: callbackUrl });
  await eventually(async () => {
    if (running.exitCode === null) await fetch(url);
  });
  expect(running.exitCode).toBeNull();
  return url;
}

test("the documentation's service of a hundred lines keeps the contract, its callbacks included", async () => {
  expect(CODE.split('\n').length).toBeLessThanOrEqual(125);
  const { url: callbackUrl, toReceiver, close } = await openReceiver();
  try {
    const url = await start(CODE, callbackUrl);
    const service = openService({ url, key: API_KEY }, systemClock);
    // It repeats a callback after a second.
    const receiver = toReceiver(() => new Promise((resolve) => setImmediate(resolve)));
    const patient: Receiver = {
      ...receiver,
      waitFor: async (count) => {
        await eventually(() => expect(receiver.deliveries.length).toBeGreaterThanOrEqual(count));
        return true;
      },
    };
    const results = await runChecks(service, [...callbackChecks(patient, TOKEN), ...CHECKS], silent);
    expect(faultsOf(results)).toEqual([]);
  } finally {
    await close();
  }
});

/** Each changes the documentation's service in one place; the check with these words finds it. */
const BROKEN: readonly (readonly [from: string, to: string, found: string])[] = [
  ['throw new Refusal(401', 'console.assert(401', 'no key is refused'],
  ['return { requestId: randomUUID() };', 'return {};', 'names the request'],
  ['return { requestId: randomUUID() };', "return { requestId: '1' };", 'an id of its own'],
  ['list.length > 200', 'list.length > 100', 'batch of 200'],
  ['list.length > 200', 'false', 'batch of 201'],
  ['continue;', "throw new Refusal(409, 'Older.');", 'an older one after a newer'],
  [
    "throw new Refusal(400, 'The body is not JSON.')",
    "throw new Error('no')",
    'none of the contract, is refused',
  ],
  [
    "typeof record?.id !== 'string' || record.id === ''",
    "record.id.trim() === ''",
    'of another type or out of range',
  ],
  ['/^\\d{4}-\\d\\d-\\d\\dT/', '/\\.\\d{3}Z$/', 'usual forms'],
  ['nextPageToken, totalSize', 'next: nextPageToken, totalSize', 'a page has recoveryActions'],
  ['found.slice(from, from + size)', 'found', 'with pageSize 1 a page'],
  ['offset: String(from + size)', 'offset: String(from)', 'with pageSize 1 a page'],
  ["if (orderDirection === 'desc')", "if (orderDirection !== 'desc')", 'created_at asc'],
  [
    "throw new Refusal(400, 'The pageToken",
    "return new URLSearchParams(); throw new Refusal(400, '",
    'pageToken that it did not make',
  ],
];

test.each(BROKEN)('a service that breaks the contract is found: %s → %s', async (from, to, found) => {
  expect(CODE).toContain(from);
  const url = await start(CODE.replace(from, to));
  const service = openService({ url, key: API_KEY }, systemClock);
  await failSome(url);
  const checks = CHECKS.filter(({ title }) => title.includes(found));
  expect(checks).toHaveLength(1);
  expect((await runChecks(service, checks, silent)).filter(isBroken)).toHaveLength(1);
});

/** So that there is something to list. */
async function failSome(url: URL): Promise<void> {
  const updatedAt = systemClock.now().toISO();
  for (const number of [1, 2, 3]) {
    const id = `ch_${number}`;
    const transaction = { id, invoiceId: 'in_1', state: 'TRANSACTION_STATE_FAILED', amount: 1, updatedAt };
    await fetch(new URL('/ingest/v1/transactions', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}` },
      body: JSON.stringify({ transactions: [transaction] }),
    });
  }
}

test('check-service ends with 1 where the contract is broken, and with 2 for wrong use', async () => {
  const url = await start(CODE.replace('list.length > 200', 'false'));
  const said: string[] = [];
  expect(await runCheckService([url.href, API_KEY], {}, (text) => void said.push(text))).toBe(1);
  const text = said.join('');
  expect(text).toContain('BROKEN  Ingest: a batch of 201 is answered 429\n        answered 200\n');
  expect(text).toContain('The service breaks the contract in 1 point(s).');
  await expect(runCheckService(['nowhere', 'key'], {}, silent)).rejects.toThrow('is no address');
  await expect(runCheckService([url.href, 'key'], { token: 'x' }, silent)).rejects.toThrow('belong together');
});

test('a service that is away is broken in every point, and nothing hangs', async () => {
  const results = await runChecks(
    openService({ url: new URL('http://127.0.0.1:9'), key: 'k' }, systemClock),
    CHECKS,
    silent,
  );
  expect(results.every(({ fault }) => fault !== undefined)).toBe(true);
});

test('results are written as JUnit XML, whatever a service answers', () => {
  const shared = { about: 'Ingest', title: 'a "batch" & more' } as const;
  const xml = toJUnit(
    [
      { ...shared, level: 'must', fault: undefined },
      { ...shared, level: 'must', fault: '<html>\u0000 & "so"' },
      { ...shared, level: 'should', fault: 'no' },
    ],
    'service',
  );
  expect(xml).toContain('tests="3" failures="1" skipped="1"');
  expect(xml).toContain('<failure message="&lt;html&gt;? &amp; &quot;so&quot;"/>');
  expect(xml).toContain('name="a &quot;batch&quot; &amp; more"');
});
