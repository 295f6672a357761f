/** Two containers on one volume: each has process ids of its own, and only one may have the embedded database open. */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Stripe from 'stripe';
import { openDatabase } from '../../src/core/database/open-database.ts';
import { newMigratedDirectory } from '../support/database/data-directory.ts';
import { type CommandProcess, spawnCommand } from '../support/process/command-process.ts';
import { type ServerProcess, startServerProcess } from '../support/process/server-process.ts';

const SECRET = 'whsec_of_the_endpoint';
/** With process ids of its own, as in a container. Who kills it kills what runs in it. */
const CONTAINER = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];
const [unshare = '', ...flags] = CONTAINER;
const hasContainers = spawnSync(unshare, [...flags, 'true']).status === 0;

let directory: string;
let settings: Record<string, string>;
let running: CommandProcess[];
beforeEach(() => {
  running = [];
  directory = newMigratedDirectory();
  settings = {
    RETRY_MODE: 'advisory',
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_WEBHOOK_SECRET: SECRET,
    BUSINESS_ENTITY: 'Acme',
    RETRY_SERVICE_URL: 'http://127.0.0.1:9',
    RETRY_SERVICE_API_KEY: 'key-of-a-service-that-is-away',
    RECOVERY_CALLBACK_TOKEN: 'callback-token-for-tests',
    DATA_DIR: directory,
  };
});
afterEach(async () => {
  await Promise.all(running.map((command) => command.kill()));
  rmSync(directory, { recursive: true, force: true });
});

async function startContainer(): Promise<ServerProcess> {
  const server = await startServerProcess(settings, { within: CONTAINER });
  running.push(server);
  return server;
}

async function runInContainer(command: string): Promise<{ code: number | null; said: string }> {
  const started = spawnCommand(command, { ...settings, PORT: '0' }, { within: CONTAINER });
  running.push(started);
  return { code: await started.ended, said: started.output() };
}

/** Of the program itself, as this side numbers it. */
function pidWithin({ pid }: CommandProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}

async function post({ port }: ServerProcess, ids: readonly string[]): Promise<number[]> {
  return Promise.all(
    ids.map(async (id) => {
      const created = Math.floor(Date.now() / 1000);
      const event = { id, object: 'event', type: 'customer.created', created, data: { object: {} } };
      const payload = JSON.stringify(event);
      const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET });
      const headers = { 'stripe-signature': signature };
      const answer = await fetch(`http://127.0.0.1:${port}/webhooks/stripe`, {
        method: 'POST',
        headers,
        body: payload,
      });
      await answer.body?.cancel();
      return answer.status;
    }),
  );
}

const idsOf = (part: string) => Array.from({ length: 50 }, (_, index) => `evt_${part}_${index}`);
const allTaken = Array.from({ length: 50 }, () => 200);

/** Stops a process as a machine that sleeps does. Another machine takes over its folder before it wakes. */
async function sleepThroughATakeover(owner: ServerProcess, pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const lock = join(directory, 'lock');
  const [line = ''] = readFileSync(lock, 'utf8').split('\n');
  const taker = { ...JSON.parse(line), id: 'another', machine: 'another', pid: 7, host: 'other-host' };
  writeFileSync(lock, `${JSON.stringify(taker)}\n1\n`);
  process.kill(pid, 'SIGCONT');
  expect(await owner.ended).toBe(1);
  expect(owner.output()).toContain(`${directory} was taken over by process 7 on host other-host`);
  expect(readFileSync(lock, 'utf8')).toContain('other-host');
  rmSync(lock);
}

if (hasContainers)
  test('two containers on one volume: the second is refused, its commands reach the first, and after a kill and a takeover nothing is lost', async () => {
    const owner = await startContainer();
    expect(await post(owner, idsOf('before'))).toEqual(allTaken);

    expect(await runInContainer('status')).toEqual({
      code: 0,
      said: expect.stringContaining('No action required.'),
    });
    // Also where the owner makes no move.
    process.kill(pidWithin(owner), 'SIGSTOP');
    expect(await runInContainer('start')).toEqual({
      code: 1,
      said: expect.stringMatching(/is in use by process 1 on host .*docker exec/s),
    });
    process.kill(pidWithin(owner), 'SIGCONT');
    expect(await post(owner, idsOf('beside'))).toEqual(allTaken);

    await owner.kill();
    const startedAt = performance.now();
    const next = await startContainer();
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    expect(await post(next, idsOf('after'))).toEqual(allTaken);
    await sleepThroughATakeover(next, pidWithin(next));

    const database = await openDatabase({ kind: 'embedded', directory });
    const events = await database.query<{ id: string }>('select id from payment_retry.events order by id');
    await database.close();
    const acknowledged = ['before', 'beside', 'after'].flatMap(idsOf).sort();
    expect(events.map(({ id }) => id).sort()).toEqual(acknowledged);
  });
else
  test('a process that wakes after another machine took over its folder ends at once and says who has it', async () => {
    const owner = await startServerProcess(settings);
    running.push(owner);
    await sleepThroughATakeover(owner, owner.pid ?? 0);
  });
