/**
 * The tutorial's first way, as it stands there: a simulated Stripe account, the documentation's retry service and the plugin, a process
 * each. The service is behind TLS here.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/database/postgres-server.ts';
import { eventually } from '../support/eventually.ts';
import { TLS_CERT, TLS_KEY } from '../support/http/tls-files.ts';
import {
  type CommandProcess,
  spawnCommand,
  spawnProgram,
  untilSaid,
} from '../support/process/command-process.ts';

const page = readFileSync(new URL('../../docs/tutorials/getting-started.md', import.meta.url), 'utf8');
const [, section = ''] = /## 2\. A retry service of yours\n([\s\S]*?)\n## /.exec(page) ?? [];
const lines = [...section.matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
  .map((line) => line.replace(/ +#.*$/, ''))
  .filter((line) => line !== '');
const SERVICE = fileURLToPath(new URL('../../docs/how-to/files/retry-service.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'first-remote-'));
const running: CommandProcess[] = [];
afterAll(async () => {
  for (const one of running.reverse()) await one.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** The words of the page's line for a command of ours. */
function wordsOf(command: string): string[] {
  const line = lines.find((one) => one.startsWith(`npx stripe-payment-retry ${command}`));
  if (line === undefined) throw new Error(`The page has no line for ${command}:\n${lines.join('\n')}`);
  return line.split(/ +/).slice(2);
}

function begin(started: CommandProcess): CommandProcess {
  running.push(started);
  return started;
}

const asHere = { NODE_EXTRA_CA_CERTS: TLS_CERT };

async function run(words: readonly string[]): Promise<string> {
  const command = spawnCommand(words, asHere, { cwd: folder });
  expect([words[0], await command.ended, command.output()]).toEqual([words[0], 0, expect.any(String)]);
  return command.output();
}

test('three settings, doctor finds no problem, and what the service asks is carried out', async () => {
  const [stripePort, pluginPort] = [await freePort(), await freePort()];
  const sandbox = begin(spawnCommand([...wordsOf('sandbox'), '--port', String(stripePort)], {}));
  await untilSaid(sandbox, 'A simulated Stripe account');
  const [start = ''] = lines.filter((line) => line.endsWith('node retry-service.mjs'));
  const given = Object.fromEntries(
    start.split(' ').flatMap((word) => (word.includes('=') ? [word.split('=')] : [])),
  );
  const tls = { PORT: '0', TLS_CERT, TLS_KEY, CALLBACK_URL: `http://localhost:${pluginPort}` };
  const service = begin(spawnProgram([SERVICE], { ...given, ...tls }));
  await untilSaid(service, 'listening at https');
  const [serviceUrl = ''] = /https:\S+/.exec(service.output()) ?? [];

  const here = (word: string) =>
    word.replace('12111', String(stripePort)).replace('http://localhost:9000', serviceUrl);
  await run([...wordsOf('init').map(here), `PORT=${pluginPort}`]);
  await run(wordsOf('connect'));
  const plugin = begin(spawnCommand(wordsOf('start'), asHere, { cwd: folder }));
  await untilSaid(plugin, '"ready"');

  await untilSaid(service, ': Retry scheduled for ');
  const [, invoiceId = ''] = /(in_\w+): Retry scheduled/.exec(service.output()) ?? [];
  const key = /^STRIPE_SECRET_KEY=(\S+)$/m.exec(readFileSync(join(folder, '.env'), 'utf8'))?.[1];
  const atStripe = `http://localhost:${stripePort}/v1/invoices/${invoiceId}`;
  await eventually(async () => {
    const response = await fetch(atStripe, { headers: { authorization: `Bearer ${key}` } });
    expect(await response.json()).toMatchObject({ status: 'paid' });
  });
  // That Stripe has it paid is known here a moment later.
  await eventually(async () => expect(await run(['status', invoiceId])).toMatch(/paid by: /));
  expect(await run(wordsOf('doctor'))).toContain('No problem was found.');
  expect(await run(wordsOf('status'))).toContain('kept at its time: 100 % of 1 this month');
  expect(await plugin.terminate()).toBe(0);
});
