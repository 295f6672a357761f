/**
 * First steps as two pages name them, each in an empty folder on one simulated Stripe account: the steps of AGENTS.md in their order, and
 * the tutorial's first way, with the documentation's retry service behind TLS. What goes on is a process of its own, and so is `doctor`.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { readEnvFile } from '../../src/cli/setup/env-file.ts';
import { freePort } from '../support/database/postgres-server.ts';
import { eventually } from '../support/eventually.ts';
import { TLS_CERT, TLS_KEY } from '../support/http/tls-files.ts';
import {
  type CommandProcess,
  spawnCommand,
  spawnProgram,
  untilSaid,
} from '../support/process/command-process.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const SERVICE = fileURLToPath(new URL('docs/how-to/files/retry-service.mjs', ROOT));
const running: CommandProcess[] = [];
const folders: string[] = [];
let stripePort: string;
let sandbox: CommandProcess;

const page = read('docs/tutorials/getting-started.md');
const [, section = ''] = /## 2\. A retry service of yours\n([\s\S]*?)\n## /.exec(page) ?? [];
const lines = [...section.matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
  .map((line) => line.replace(/ +#.*$/, ''))
  .filter((line) => line !== '');

/** The words of the tutorial's line for a command of ours. */
function wordsOf(command: string): string[] {
  const line = lines.find((one) => one.startsWith(`npx stripe-payment-retry ${command}`));
  if (line === undefined) throw new Error(`The page has no line for ${command}:\n${lines.join('\n')}`);
  return line.split(/ +/).slice(2);
}

beforeAll(async () => {
  stripePort = String(await freePort());
  sandbox = begin(spawnCommand([...wordsOf('sandbox'), '--port', stripePort], {}));
  await untilSaid(sandbox, 'A simulated Stripe account');
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(async () => {
  for (const one of running.reverse()) await one.kill();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'first-steps-'));
  folders.push(folder);
  return folder;
}

function begin(started: CommandProcess): CommandProcess {
  running.push(started);
  return started;
}

/** What a command says, run as in this folder, with its settings, but without a process of its own. */
async function run(folder: string, words: readonly string[]): Promise<string> {
  const { env } = process;
  const cwd = process.cwd();
  let said = '';
  const streams = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((text) => {
      said += String(text);
      return true;
    }),
  );
  process.chdir(folder);
  process.env = { PATH: env.PATH, ...readEnvFile('.env') };
  const code = await runCommandLine(words, '0.1.0').finally(() => {
    process.env = env;
    process.chdir(cwd);
    for (const stream of streams) stream.mockRestore();
  });
  expect([words[0], code, said]).toEqual([words[0], 0, expect.any(String)]);
  return said;
}

async function examine(folder: string, settings: Readonly<Record<string, string>>): Promise<string> {
  const doctor = spawnCommand('doctor', settings, { cwd: folder });
  expect([await doctor.ended, doctor.output()]).toEqual([0, expect.any(String)]);
  return doctor.output();
}

test('each step for agents ends as the page says, in observe mode', async () => {
  const [, steps = ''] =
    /## Steps\n([\s\S]*?)\nReport to the person/.exec(read('docs/how-to/AGENTS.md')) ?? [];
  const commands = [...steps.matchAll(/`npx stripe-payment-retry (\w+)`/g)].map(([, name = '']) => name);
  expect(commands).toEqual(['init', 'sandbox', 'connect', 'start', 'doctor', 'status']);
  const folder = newFolder();
  const port = `PORT=${await freePort()}`;
  // The page leaves the key to a person; the sandbox prints the whole line.
  const [, line = ''] = /npx stripe-payment-retry (init .*)/.exec(sandbox.output()) ?? [];
  await run(folder, [...line.trim().split(' '), port]);
  await run(folder, ['connect']);
  const plugin = begin(spawnCommand('start', {}, { cwd: folder }));
  await untilSaid(plugin, '"ready"');
  expect(readFileSync(join(folder, '.env'), 'utf8')).toMatch(/^RETRY_MODE=observe$/m);
  expect(await run(folder, ['doctor'])).toContain('No problem was found.');
  expect(plugin.output()).toContain('observe');
  expect(await run(folder, ['status'])).toContain('No action required.');
  expect(await plugin.terminate()).toBe(0);
});

test('three settings of a retry service, doctor finds no problem, and what the service asks is carried out', async () => {
  const folder = newFolder();
  const pluginPort = await freePort();
  const [start = ''] = lines.filter((line) => line.endsWith('node retry-service.mjs'));
  const given = Object.fromEntries(
    start.split(' ').flatMap((word) => (word.includes('=') ? [word.split('=')] : [])),
  );
  const tls = { PORT: '0', TLS_CERT, TLS_KEY, CALLBACK_URL: `http://localhost:${pluginPort}` };
  const service = begin(spawnProgram([SERVICE], { ...given, ...tls }));
  await untilSaid(service, 'listening at https');
  const [serviceUrl = ''] = /https:\S+/.exec(service.output()) ?? [];

  const here = (word: string) =>
    word.replace('12111', stripePort).replace('http://localhost:9000', serviceUrl);
  await run(folder, [...wordsOf('init').map(here), `PORT=${pluginPort}`]);
  await run(folder, wordsOf('connect'));
  const trust = { NODE_EXTRA_CA_CERTS: TLS_CERT };
  const plugin = begin(spawnCommand(wordsOf('start'), trust, { cwd: folder }));
  await untilSaid(plugin, '"ready"');

  await untilSaid(service, ': Retry scheduled for ');
  const [, invoiceId = ''] = /(in_\w+): Retry scheduled/.exec(service.output()) ?? [];
  const { STRIPE_SECRET_KEY: key } = readEnvFile(join(folder, '.env'));
  const atStripe = `http://localhost:${stripePort}/v1/invoices/${invoiceId}`;
  await eventually(async () => {
    const response = await fetch(atStripe, { headers: { authorization: `Bearer ${key}` } });
    expect(await response.json()).toMatchObject({ status: 'paid' });
  });
  // That Stripe has it paid is known here a moment later.
  await eventually(async () => expect(await run(folder, ['status', invoiceId])).toMatch(/paid by: /));
  expect(wordsOf('doctor')).toEqual(['doctor']);
  expect(await examine(folder, trust)).toContain('No problem was found.');
  expect(await run(folder, wordsOf('status'))).toContain('kept at its time: 100 % of 1 this month');
  expect(await plugin.terminate()).toBe(0);
});

test('the skill leads to the page that the package holds', () => {
  const skill = read('docs/how-to/files/SKILL.md');
  expect(skill).toMatch(/^---\nname: [a-z-]{1,64}\ndescription: .{1,1024}\n---\n/);
  const [, path = ''] = /`node_modules\/stripe-payment-retry\/(\S+)`/.exec(skill) ?? [];
  expect([path, existsSync(new URL(path, ROOT))]).toEqual(['docs/how-to/AGENTS.md', true]);
  expect(JSON.parse(read('package.json')).files).toContain(path);
});
