/** The recipes of `docs/how-to/other-hosts.md`, as the page has them: each is installed, started, asked and ended. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { systemClock } from '../../src/core/base/clock.ts';
import { createLinkToken } from '../../src/plugin/retry/mail/card-update-link.ts';
import { OWN_ACCOUNT } from '../../src/plugin/settings/account.ts';
import { accepts } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { type Sandbox, startSandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { MAIN, onPostgres, type TestLocation, variablesOf } from '../support/database/databases.ts';
import { freePort } from '../support/database/postgres-server.ts';
import { eventually } from '../support/eventually.ts';
import { closeServer, listenOnLoopback } from '../support/http/loopback-server.ts';
import { type CommandProcess, spawnProgram, untilSaid } from '../support/process/command-process.ts';
import {
  describeWithRegistry,
  examplesOf,
  type InstalledPackage,
  installPackage,
  ROOT,
} from '../support/process/installed-package.ts';

const run = promisify(execFile);
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const LINK_SECRET = 'a-secret-of-more-than-thirty-two-characters';
const NEXT = 'node_modules/next/dist/bin/next';
const PROGRAM = 'node_modules/stripe-payment-retry/dist/cli.js';

const recipes = examplesOf('other-hosts.md');
const page = readFileSync(join(ROOT, 'docs', 'how-to', 'other-hosts.md'), 'utf8');

let sandbox: Sandbox;
let place: TestLocation;
beforeAll(async () => {
  [sandbox, place] = await Promise.all([startSandbox({ clock: systemClock }), MAIN.createMigrated()]);
});
afterAll(async () => {
  await sandbox.stop();
  await place.remove();
});

interface Place {
  readonly url: string;
  readonly prefix: string;
}

interface Host extends Place {
  readonly process: CommandProcess;
}

const variables = ({ url, prefix }: Place, folder: string): Record<string, string> => ({
  ...variablesOf(place.location),
  PORT: new URL(url).port,
  RETRY_MODE: 'advisory',
  STRIPE_SECRET_KEY: sandbox.secretKey,
  STRIPE_WEBHOOK_SECRET: sandbox.webhookSecret,
  STRIPE_API_BASE: sandbox.url,
  PUBLIC_URL: `${url}${prefix}`,
  LINK_SECRET,
  SMTP_URL: 'smtp://127.0.0.1:9',
  EMAIL_FROM: 'billing@shop.example',
  CONSOLE_PASSWORD: 'correct horse battery staple',
  LOG_LEVEL: 'warn',
  NODE_NO_WARNINGS: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  PM2_HOME: join(folder, '.pm2'),
  HOME: folder,
});

/** Takes requests when it resolves. */
async function start(
  folder: string,
  args: readonly string[],
  prefix = '/payment-retry',
  more: Readonly<Record<string, string>> = {},
): Promise<Host> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const process = spawnProgram(
    args.map((arg) => arg.replace('$PORT', `${port}`)),
    { ...variables({ url, prefix }, folder), ...more },
    { cwd: folder },
  );
  const host = { url, prefix, process };
  const ended = process.ended.then(() => {
    throw new Error(`It ended.\n${process.output()}`);
  });
  try {
    await Promise.race([untilReady(host), ended]);
  } catch (error) {
    await process.kill();
    throw error;
  }
  ended.catch(() => {});
  return host;
}

/** Two processes share no embedded database. */
function onShared(name: string, tell: () => void): void {
  if (MAIN.engine === 'postgres') onPostgres(name, tell);
  else it.skip(`${name}: the hosts are on the embedded database`, () => {});
}

/** The most that a recipe starts. */
const PROCESSES = 2;

async function untilReady({ url, prefix }: Place) {
  // Processes behind one port take new connections in turn, and each listens before it has started.
  const headers = { connection: 'close' };
  await eventually(async () => {
    for (let look = 0; look < 2 * PROCESSES; look += 1) {
      const ready = await fetch(`${url}${prefix}/readyz`, { headers }).catch(() => undefined);
      if (ready?.status !== 200) throw new Error('It is not ready yet.');
    }
  });
}

/** What fails where a host is in the way: bytes that a parser would change, the kind of a page, the place of a link. */
async function ask({ url, prefix }: Place) {
  const { id: customerId } = sandbox.createCustomer({ paymentMethod: accepts(), name: 'Zoë 🦉' });
  const event = { id: `evt_${customerId}`, object: 'event', type: 'customer.created', created: 1 };
  const body = JSON.stringify({ ...event, data: { object: { id: customerId, name: 'Zoë 🦉' } } }, null, 2);
  const post = (secret: string) => {
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret });
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
    return fetch(`${url}${prefix}/webhooks/stripe`, { method: 'POST', headers, body });
  };
  const expiresAt = DateTime.utc().plus({ days: 1 });
  const claims = { account: OWN_ACCOUNT, customerId, invoiceId: 'in_of_nobody', expiresAt };
  const link = `${url}${prefix}/card-update/${createLinkToken(claims, LINK_SECRET)}`;
  const card = await fetch(link);
  const pressed = await fetch(link, { method: 'POST', redirect: 'manual' });
  const opened = await fetch(`${url}${prefix}/console`);
  return {
    signed: (await post(sandbox.webhookSecret)).status,
    forged: (await post('whsec_of_another')).status,
    card: [card.status, card.headers.get('content-type')],
    portal: [pressed.status, new URL(pressed.headers.get('location') ?? '', link).origin],
    signIn: [opened.status, opened.url],
  };
}

const answers = ({ url, prefix }: Place) => ({
  signed: 200,
  forged: 400,
  card: [200, 'text/html; charset=utf-8'],
  portal: [303, new URL(sandbox.url).origin],
  signIn: [200, `${url}${prefix}/console/login`],
});

async function order({ url }: Place): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/orders`, { method: 'POST', headers, body: '{"what":"tea"}' });
  return answer.json();
}

/** As the page promises, and it ends when it is asked to. */
async function prove(folder: string, args: readonly string[], exitCode: number | null = 0): Promise<void> {
  const host = await start(folder, args);
  try {
    expect(await ask(host)).toEqual(answers(host));
    expect(await order(host)).toEqual({ what: 'tea' });
    expect(await host.process.terminate()).toBe(exitCode);
  } finally {
    await host.process.kill();
  }
}

/** In front of `start`, as the page's nginx is. */
async function startProxy(target: string) {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    const forwarded = { ...headers, 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };
    const path = new URL(url.replace(/^\/payment-retry/, ''), target);
    const passed = request(path, { method, headers: forwarded }, (answer) => {
      answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers));
    });
    passed.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(passed);
  });
  return { url: await listenOnLoopback(server), stop: () => closeServer(server) };
}

describe('with what is here', () => {
  let host: InstalledPackage;
  beforeAll(async () => {
    host = await installPackage();
    host.write(recipes);
    const link = join(host.folder, 'node_modules', 'koa');
    if (!existsSync(link)) symlinkSync(join(ROOT, 'node_modules', 'koa'), link, 'dir');
  });
  afterAll(() => host.remove());

  test('Koa', () => prove(host.folder, ['koa.mjs']));

  onShared('on PostgreSQL', () => test('node:cluster', () => prove(host.folder, ['cluster.mjs'])));

  describe('a process of its own', () => {
    let own: Host;
    beforeAll(async () => {
      const more = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', LOG_LEVEL: 'info' };
      own = await start(host.folder, [PROGRAM, 'start'], '', more);
    });
    afterAll(() => own.process.kill());

    test("start names the console's address, and the next command", () =>
      untilSaid(own.process, `"console":"${own.url}/console","next":"npx stripe-payment-retry doctor `));

    test("traces that are asked for without OpenTelemetry's packages are none, and the log says what to install", () => {
      expect(own.process.output()).toMatch(
        /npm install @opentelemetry\/sdk-trace-node [^"]*OTEL_SDK_DISABLED=true.*OpenTelemetry's packages are not installed: none are sent/,
      );
    });

    test('a process of its own behind a proxy that takes the prefix off', async () => {
      const proxy = await startProxy(own.url);
      try {
        const behind = { url: proxy.url, prefix: '/payment-retry' };
        expect(await ask(behind)).toEqual(answers(behind));
        expect(await own.process.terminate()).toBe(0);
      } finally {
        await proxy.stop();
      }
    });
  });
});

describeWithRegistry('installed from the registry', () => {
  let host: InstalledPackage;
  const install = (...names: string[]) =>
    run('npm', ['install', '--no-audit', '--no-fund', ...names], { cwd: host.folder });
  beforeAll(async () => {
    host = await installPackage('npm');
    host.write({
      ...recipes,
      'tsconfig.json':
        '{ "compilerOptions": { "module": "nodenext", "target": "es2022", "experimentalDecorators": true } }',
    });
  });
  afterAll(() => host.remove());

  test('Fastify', async () => {
    await install('fastify', '@fastify/express');
    await prove(host.folder, ['fastify.mjs']);
  });

  test('NestJS, whose recipe compiles', async () => {
    const nest = ['common', 'core', 'platform-express'].map((part) => `@nestjs/${part}`);
    await install(...nest, 'reflect-metadata', 'rxjs', 'typescript@5', '@types/node');
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
    expect(
      await host.node([
        ...['node_modules/typescript/bin/tsc', ...flags, '--experimentalDecorators', '--types', 'node'],
        ...['--target', 'es2022', 'nest.ts'],
      ]),
    ).toBe('');
    // After its hooks it ends by the signal that it got.
    await prove(host.folder, ['--import', TSX, 'nest.ts'], null);
  });

  test('Hono', async () => {
    await install('hono', '@hono/node-server');
    await prove(host.folder, ['hono.mjs']);
  });

  test('Koa', async () => {
    await install('koa');
    await prove(host.folder, ['koa.mjs']);
  });

  onShared('on PostgreSQL', () => {
    test('pm2, with two processes', async () => {
      await install('pm2');
      const place = { url: `http://127.0.0.1:${await freePort()}`, prefix: '/payment-retry' };
      const env = variables(place, host.folder);
      const pm2 = (...args: string[]) => host.node(['node_modules/pm2/bin/pm2', ...args], env);
      const started = await pm2(...(/pm2 (start app\.mjs [^`]*)/.exec(page)?.[1] ?? '').split(' '));
      try {
        expect(started.match(/│ cluster │.*│ online/g)).toHaveLength(2);
        await untilReady(place);
        expect(await ask(place)).toEqual(answers(place));
        expect(await order(place)).toEqual({ what: 'tea' });
      } finally {
        await pm2('kill');
      }
    });
  });
});

describeWithRegistry('Next.js, installed from the registry', () => {
  let host: InstalledPackage;
  const build = () => host.node([NEXT, 'build'], { NEXT_TELEMETRY_DISABLED: '1', HOME: host.folder });
  beforeAll(async () => {
    host = await installPackage('npm');
    const npm = (...args: string[]) => run('npm', args, { cwd: host.folder });
    await npm('install', '--no-audit', '--no-fund', 'next', 'react', 'react-dom');
    // As `create-next-app` leaves it: a `.js` is what its syntax says.
    await npm('pkg', 'delete', 'type');
    host.write({
      'app/layout.js':
        'export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html>; }',
      'app/page.js': 'export default function Page() { return <h1>by the App Router</h1>; }',
      'pages/old.js': 'export default function Page() { return <h1>by the Pages Router</h1>; }',
    });
  });
  afterAll(() => host.remove());

  test('with the plugin in it, beside pages of either router', async () => {
    host.write(recipes);
    expect(await build()).toContain('/api/payment-retry/[...path]');
    for (const prefix of ['/payment-retry', '/api/payment-retry']) await proveNext(prefix);
  });

  async function proveNext(prefix: string) {
    const next = await start(host.folder, [NEXT, 'start', '-p', '$PORT'], prefix);
    try {
      expect(await ask(next)).toEqual(answers(next));
      expect(await (await fetch(`${next.url}/`)).text()).toContain('by the App Router');
      expect(await (await fetch(`${next.url}/old`)).text()).toContain('by the Pages Router');
    } finally {
      await next.process.terminate();
    }
  }

  test('in front of a process of its own', async () => {
    host.remove('app/payment-retry', 'pages/api', 'instrumentation.js', 'payment-retry.js');
    host.write({ 'next.config.mjs': recipes['rewrites/next.config.mjs'] ?? '' });
    const own = await start(host.folder, [PROGRAM, 'start'], '');
    // Rewrites are read when it is built.
    await host.node([NEXT, 'build'], { PAYMENT_RETRY_URL: own.url, HOME: host.folder });
    const next = await start(host.folder, [NEXT, 'start', '-p', '$PORT']);
    try {
      expect(await ask(next)).toEqual(answers(next));
    } finally {
      await Promise.all([next.process.terminate(), own.process.terminate()]);
    }
  });
});
