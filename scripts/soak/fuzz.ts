/** A hundred thousand requests on both ports, right ones among wrong ones, from one seed: nothing breaks, and memory stays. */
import { rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { newDataDirectory } from '../../test/support/database/data-directory.ts';
import { createFuzz, type FuzzRequest } from './fuzz-requests.ts';
import { SECRETS } from './secrets.ts';
import { memoryOf, type SoakSite, withSoakSite } from './soak-site.ts';

const AT_ONCE = 16;
const SAMPLES = 10;
/** Beyond what it had after the first fifth, when everything has been used once. */
const GROWTH = 1.3;
/** On a machine that is busy with other things, too. */
const ANSWER_MS = 300_000;

export async function runFuzz(print: (line: string) => void, seed: number, count: number): Promise<void> {
  const directory = newDataDirectory();
  const location = { kind: 'embedded', directory } as const;
  try {
    await withSoakSite({ location }, print, async (site) => {
      await site.start();
      await Promise.all(Array.from({ length: 5 }, () => site.work()));
      const next = createFuzz(seed, await gatherSources(site));
      print(`fuzz: seed ${seed}, ${count} requests`);
      const answers = new Map<string, number>();
      const memory: number[] = [];
      for (let sample = 0; sample < SAMPLES; sample += 1) {
        await sendAll(site, next, count / SAMPLES, answers);
        memory.push(memoryOf(site.process()));
        print(`fuzz: ${((sample + 1) * count) / SAMPLES} answered, ${memory.at(-1)} MB`);
      }
      print(`fuzz: answers ${JSON.stringify(Object.fromEntries([...answers].sort()))}`);
      print(`fuzz: memory in MB after each tenth ${memory.join(' ')}`);
      const [, warm = 0] = memory;
      if ((memory.at(-1) ?? 0) > warm * GROWTH) throw new Error('The memory grows.');
      await Promise.all(Array.from({ length: 5 }, () => site.work()));
      print(`fuzz: whole afterwards ${JSON.stringify(await site.expectWhole())}`);
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function gatherSources(site: SoakSite) {
  const api = await pathsOf(`${site.url()}/api/v1/openapi.json`, '/api/v1');
  // A pause is obeyed, as it should be: nothing would be paid any more.
  const plugin = [...OWN_PATHS, ...api.filter((path) => !/pause/.test(path))];
  const service = [...SERVICE_PATHS, ...(await pathsOf(`${site.serviceUrl()}/openapi.json`, ''))];
  const events = [...site.sandbox.state.events.newestFirst()];
  const paths = { plugin, service };
  return { events, paths, webhookSecret: site.sandbox.webhookSecret, cookie: await signIn(site.url()) };
}

const OWN_PATHS = [
  ...[
    '/webhooks/stripe',
    '/recovery_action',
    '/accounts/:account/recovery_action',
    '/card-update/:token',
    '/healthz',
  ],
  ...[
    '/readyz',
    '/metrics',
    '/app/request',
    '/',
    '/:anything',
    '/console',
    '/console/login',
    '/console/invoices',
  ],
  ...[
    '/console/invoices.csv',
    '/console/invoices/:id',
    '/console/customers',
    '/console/customers/:id',
    '/console/emails',
  ],
  ...[
    '/console/emails/:id',
    '/console/emails/:id/body',
    '/console/deliveries',
    '/console/audit',
    '/console/timing',
  ],
  ...['/console/invoices/:id/retry', '/console/:anything', '/api/v1/:anything'],
];
const SERVICE_PATHS = ['/healthz', '/metrics', '/openapi.json', '/:anything'];

async function pathsOf(url: string, before: string): Promise<string[]> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${SECRETS.OPERATOR_TOKEN}` } });
  const { paths } = (await response.json()) as { paths: Record<string, unknown> };
  return Object.keys(paths).map((path) => `${before}${path}`);
}

async function signIn(url: string): Promise<string> {
  const page = await (await fetch(`${url}/console/login`)).text();
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const answer = await fetch(`${url}/console/login`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token, username: 'operator', password: SECRETS.CONSOLE_PASSWORD }),
    redirect: 'manual',
  });
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  if (cookie === '') throw new Error(`The console does not let us in: ${answer.status}`);
  return cookie;
}

async function sendAll(site: SoakSite, next: () => FuzzRequest, count: number, answers: Map<string, number>) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const urls = { plugin: new URL(site.url()), service: new URL(site.serviceUrl()) };
  let left = count;
  const sender = async () => {
    while (left > 0) {
      left -= 1;
      const fuzz = next();
      const status = await send(urls[fuzz.port], fuzz, agent);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      const code = site.process().code();
      if (code !== undefined) throw new Error(`The process ended with ${code} after ${show(fuzz)}`);
      if (/^5/.test(status)) throw new Error(`Answered ${status}: ${show(fuzz)}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, sender));
  } finally {
    agent.destroy();
  }
}

const show = ({ body, bytes, ...fuzz }: FuzzRequest) =>
  JSON.stringify({
    ...fuzz,
    body: body?.toString('latin1').slice(0, 2_000),
    bytes: bytes?.toString('latin1'),
  });

async function send(url: URL, fuzz: FuzzRequest, agent: Agent): Promise<string> {
  return fuzz.bytes ? sendBytes(url, fuzz.bytes) : sendRequest(url, fuzz, agent);
}

/** `cut`: the connection ended unanswered, as it may for one whose body is refused while it is sent. */
function sendRequest(url: URL, { method, path, headers, body }: FuzzRequest, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const length: Record<string, string> = body ? { 'content-length': String(body.length) } : {};
    const { hostname, port } = url;
    const sent = httpRequest(
      { hostname, port, agent, method, path, headers: { ...headers, ...length }, timeout: ANSWER_MS },
      (answer) => {
        answer.resume();
        answer.once('close', () => resolve(String(answer.statusCode)));
      },
    );
    sent.once('timeout', () =>
      reject(new Error(`No answer within ${ANSWER_MS / 1000} s: ${method} ${path}`)),
    );
    sent.once('error', () => resolve('cut'));
    sent.end(body);
  });
}

/** The other side is told that nothing follows: it answers, or ends the connection. */
async function sendBytes({ hostname, port }: URL, bytes: Buffer): Promise<string> {
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part;
  });
  // A reset is an end, too; `once` would reject with it.
  socket.on('error', () => {});
  socket.end(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return /^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 'cut';
}
