/** The steps of AGENTS.md in their order, in an empty folder and on a simulated Stripe account, each command a process as an agent starts it. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/database/postgres-server.ts';
import { type CommandProcess, spawnCommand, untilSaid } from '../support/process/command-process.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const [, steps = ''] = /## Steps\n([\s\S]*?)\nReport to the person/.exec(read('docs/how-to/AGENTS.md')) ?? [];
const commands = [...steps.matchAll(/`npx stripe-payment-retry (\w+)`/g)].map(([, name = '']) => name);

const folder = mkdtempSync(join(tmpdir(), 'first-agent-'));
const running: CommandProcess[] = [];
afterAll(async () => {
  for (const one of running.reverse()) await one.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function begin(words: readonly string[], said: string): Promise<CommandProcess> {
  const started = spawnCommand(words, {}, { cwd: folder });
  running.push(started);
  await untilSaid(started, said);
  return started;
}

test('each step ends as the page says, in observe mode', async () => {
  expect(commands).toEqual(['init', 'sandbox', 'connect', 'start', 'doctor', 'status']);
  const [stripePort, pluginPort] = [await freePort(), await freePort()];
  const play: Readonly<Record<string, () => Promise<string>>> = {
    // The page leaves the key to a person; the sandbox prints the whole line.
    init: async () => {
      const sandbox = await begin(['sandbox', '--port', String(stripePort)], 'A simulated Stripe account');
      const [, line = ''] = /npx stripe-payment-retry (init .*)/.exec(sandbox.output()) ?? [];
      return run([...line.trim().split(' '), `PORT=${pluginPort}`]);
    },
    sandbox: async () => '',
    connect: () => run(['connect']),
    start: async () => (await begin(['start'], '"ready"')).output(),
    doctor: () => run(['doctor']),
    status: () => run(['status']),
  };
  const said: Record<string, string> = {};
  for (const name of commands) said[name] = (await play[name]?.()) ?? 'not played';
  expect(readFileSync(join(folder, '.env'), 'utf8')).toMatch(/^RETRY_MODE=observe$/m);
  expect(said.doctor).toContain('No problem was found.');
  expect(said.start).toContain('observe');
  expect(said.status).toContain('No action required.');
});

async function run(words: readonly string[]): Promise<string> {
  const command = spawnCommand(words, {}, { cwd: folder });
  expect([words[0], await command.ended, command.output()]).toEqual([words[0], 0, expect.any(String)]);
  return command.output();
}

test('the skill leads to the page that the package holds', () => {
  const skill = read('docs/how-to/files/SKILL.md');
  expect(skill).toMatch(/^---\nname: [a-z-]{1,64}\ndescription: .{1,1024}\n---\n/);
  const [, path = ''] = /`node_modules\/stripe-payment-retry\/(\S+)`/.exec(skill) ?? [];
  expect([path, existsSync(new URL(path, ROOT))]).toEqual(['docs/how-to/AGENTS.md', true]);
  expect(JSON.parse(read('package.json')).files).toContain(path);
});
