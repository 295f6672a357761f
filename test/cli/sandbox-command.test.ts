/** `sandbox` and `playground` as processes, and `sandbox` with words, which tells either what to do. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { type CommandProcess, spawnCommand, untilSaid } from '../support/process/command-process.ts';
import { inFull } from '../support/runner/full-run.ts';

let running: CommandProcess | undefined;
let port: string;
beforeEach(async () => {
  port = String(await findFreePort());
});
afterEach(() => running?.kill());

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

type Told = [code: number | null | undefined, output: string];

/** Without a process of its own. */
async function tell(...words: string[]): Promise<Told> {
  let output = '';
  for (const stream of [process.stdout, process.stderr])
    jest.spyOn(stream, 'write').mockImplementation((text) => {
      output += String(text);
      return true;
    });
  try {
    const code = await runCommandLine(['sandbox', ...words, '--port', port], '0.1.0');
    return [code, output];
  } finally {
    jest.restoreAllMocks();
  }
}

async function tellByProcess(...words: string[]): Promise<Told> {
  const command = spawnCommand(['sandbox', ...words, '--port', port], {});
  return [await command.ended, command.output()];
}

async function begin(command: string, said: string): Promise<CommandProcess> {
  running = spawnCommand([command, '--port', port], {});
  await untilSaid(running, said);
  return running;
}

test('the sandbox takes orders for its customers by command, and says why it does not take others', async () => {
  const sandbox = await begin('sandbox', 'A simulated Stripe account');
  expect(await tellByProcess('fail', 'ben', 'expired_card')).toEqual([
    0,
    'Ben Carter: the card is declined from now on: card expired\n',
  ]);
  expect(await tell('renew', 'ben')).toEqual([0, 'Ben Carter: the subscription renews now\n']);
  await untilSaid(sandbox, 'Ben Carter: the subscription renews now\n');
  // To be copied as it stands.
  expect(sandbox.output()).toContain(`sandbox renew ben --port ${port}\n`);
  const [code, output] = await tell('next');
  expect([code, output]).toEqual([2, expect.stringContaining('`playground` has a clock of its own')]);
  expect(await sandbox.terminate()).toBe(0);
  expect(await tell('next')).toEqual([
    1,
    expect.stringContaining(`No sandbox and no playground answers on port ${port}.\nStart one`),
  ]);
});

inFull(
  'the playground is told by the same command, refuses a port that is taken, and ends cleanly',
  async () => {
    const playground = await begin('playground', `http://127.0.0.1:${port}\n`);
    expect(await tell('next')).toEqual([
      0,
      expect.stringContaining('Ada Byrne  renewal of $29.00 failed: insufficient funds'),
    ]);
    const second = spawnCommand(['playground', '--port', port], {});
    expect(await second.ended).toBe(1);
    expect(second.output()).toBe(
      `Port ${port} (--port) is in use by another process.\nEnd that process, or choose another --port.\n`,
    );
    expect(await playground.terminate()).toBe(0);
    expect(playground.output()).toMatch(/The shop is closed. Nothing was kept.\n$/);
  },
);

test('a port that is none is refused', async () => {
  port = '70000';
  expect(await tell()).toEqual([2, expect.stringContaining('--port must be a whole number from 0 to 65535')]);
});
