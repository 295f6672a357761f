/** Commands beside a process that has the embedded database open. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { runOnStore } from '../../../../src/cli/process/run-on-store.ts';
import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import { silentLogger } from '../../../../src/core/base/logger.ts';
import type { Database } from '../../../../src/core/database/database.ts';
import { lockDirectory } from '../../../../src/core/database/directory-lock.ts';
import type { HeldLock } from '../../../../src/core/database/lock-file.ts';
import { openDatabase } from '../../../../src/core/database/open-database.ts';
import {
  askRunningProcess,
  openOperatorSocket,
  socketPathIn,
} from '../../../../src/plugin/app/commands/operator-socket.ts';
import type { CommandContext } from '../../../../src/plugin/app/commands/store-command.ts';
import { listPauses } from '../../../../src/plugin/store/tables/retry/pauses.ts';
import { buryEvent, recordEvents } from '../../../../src/plugin/store/tables/sync/events.ts';
import { startSandbox } from '../../../../src/workbench/sandbox/sandbox.ts';
import { newMigratedDirectory } from '../../../support/database/data-directory.ts';
import { operationsOn } from '../../../support/operate.ts';
import { spawnCommand, toTerminal } from '../../../support/process/command-process.ts';
import { startServerProcess } from '../../../support/process/server-process.ts';
import { inFull } from '../../../support/runner/full-run.ts';

const DATA_DIR = process.env.DATA_DIR;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payment-retry-socket-'));
  chmodSync(folder, 0o700);
  process.env.DATA_DIR = folder;
});
afterEach(() => {
  if (DATA_DIR === undefined) delete process.env.DATA_DIR;
  else process.env.DATA_DIR = DATA_DIR;
  rmSync(folder, { recursive: true, force: true });
});

/** To make a database anew takes eight seconds of work, and is not what these tests are about. */
function useMigratedFolder(): void {
  rmSync(folder, { recursive: true });
  folder = newMigratedDirectory();
  process.env.DATA_DIR = folder;
}

async function command(name: Parameters<typeof runOnStore>[0], args: string[] = [], options: object = {}) {
  const said: string[] = [];
  const code = await runOnStore(name, args, options, toTerminal(said));
  return { code, said: said.join('') };
}

/** A process that answers as `speak` does. */
async function withAnswer(
  speak: (response: { write(line: string): void; destroy(): void; end(): void }) => void,
  work: () => Promise<void>,
) {
  const { release } = await lockDirectory(folder);
  const server: Server = createServer((_request, response) => {
    response.writeHead(200);
    speak(response);
  });
  await new Promise<void>((done) => server.listen(socketPathIn(folder), done));
  try {
    await work();
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    release();
  }
}

/** As a process that began a day ago. */
function lockSinceYesterday(): Promise<HeldLock> {
  return lockDirectory(folder, { clock: createSimulatedClock(DateTime.utc().minus({ days: 1 })) });
}

inFull(
  'a process that has the embedded database open and does not answer must be stopped first',
  async () => {
    const { release } = await lockSinceYesterday();
    // Left by a process that was killed.
    writeFileSync(join(folder, 'operator.sock'), '');
    const help = expect.stringContaining('Stop that process if it does not answer: with it every payment');
    try {
      await expect(command('pause')).rejects.toMatchObject({ code: 'DATA_DIR_LOCKED', help });
    } finally {
      release();
    }
  },
);

test('a command waits for a process that has just begun and makes its socket after half a minute', async () => {
  const { release } = await lockDirectory(folder);
  const server = createServer((_request, response) => response.end('{"exit":0}\n'));
  let waitedMs = 0;
  const wait = async (ms: number) => {
    waitedMs += ms;
    if (waitedMs === 30_000)
      await new Promise<void>((done) => server.listen(socketPathIn(folder), () => done()));
  };
  const asked = { name: 'status', args: [], options: {}, user: 'jo', terminal: {} } as const;
  const code = await askRunningProcess(folder, { ...asked, args: [] }, toTerminal([]), wait);
  await new Promise((done) => server.close(done));
  release();
  expect([code, waitedMs]).toEqual([0, 30_000]);
});

test('a process that ends in the middle of a command is told, and that the command may be repeated', async () => {
  await withAnswer(
    (response) => {
      response.write('{"out":"half of it\\n"}\n');
      setImmediate(() => response.destroy());
    },
    () =>
      expect(command('status')).rejects.toMatchObject({
        message: expect.stringContaining('did not finish the command'),
        help: expect.stringContaining('may be repeated'),
      }),
  );
});

test('a process of another version refuses a command that it does not know, in its own words', async () => {
  const error = {
    code: 'REQUEST_INVALID',
    message: 'The running process is of another version',
    help: 'Stop it.',
  };
  await withAnswer(
    (response) => {
      response.write(`${JSON.stringify({ error })}\n`);
      response.end();
    },
    () => expect(command('status')).rejects.toMatchObject(error),
  );
});

test('a data folder too deep for a socket is told with a remedy', async () => {
  const deep = join(folder, 'd'.repeat(60), 'e'.repeat(60));
  mkdirSync(deep, { recursive: true, mode: 0o700 });
  process.env.DATA_DIR = deep;
  const { release } = await lockDirectory(deep);
  try {
    expect(socketPathIn(deep)).toBeUndefined();
    await expect(command('pause')).rejects.toThrow(/more than 103 bytes. Choose a shorter DATA_DIR/);
  } finally {
    release();
  }
  expect(Buffer.byteLength(socketPathIn(join(process.cwd(), 'x'.repeat(80))) ?? '')).toBeLessThan(104);
});

describe('in a process that works', () => {
  let own: string;
  let database: Database;
  let socket: Awaited<ReturnType<typeof openOperatorSocket>>;
  const clock = createSimulatedClock(DateTime.utc(2026, 3, 2));
  const none = () => Promise.reject(new Error('not here'));

  beforeAll(async () => {
    own = newMigratedDirectory();
    database = await openDatabase({ kind: 'embedded', directory: own });
    const withStore: CommandContext['withStore'] = (work) => work(operationsOn({ database, clock }));
    socket = await openOperatorSocket(own, {
      logger: silentLogger,
      withStore,
      withListings: none,
      withPlugin: none,
    });
  });
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await socket.stop();
    await database.close();
    expect(existsSync(join(own, 'operator.sock'))).toBe(false);
  };
  afterAll(async () => {
    await stop();
    rmSync(own, { recursive: true, force: true });
  });
  beforeEach(() => {
    process.env.DATA_DIR = own;
  });

  test('a process that has the embedded database open pauses and resumes when it is asked, for its owner alone', async () => {
    expect(statSync(join(own, 'operator.sock')).mode & 0o777).toBe(0o600);
    const paused = await command('pause', [], { reason: 'wrong prices', by: 'ada' });
    expect(paused).toEqual({ code: 0, said: expect.stringContaining('It applies immediately') });
    expect(await listPauses(database)).toMatchObject([
      { account: '*', reason: 'wrong prices', pausedBy: 'ada' },
    ]);
    expect(await command('pause')).toMatchObject({ code: 3 });
    expect(await command('pause', [], { account: 'acct_unknown' })).toMatchObject({ code: 1 });
    expect(await command('resume')).toMatchObject({ code: 0 });
    expect(await listPauses(database)).toEqual([]);
  });

  test('every command that reads or acts says there what it says alone, with its exit code', async () => {
    expect(await command('status')).toMatchObject({
      code: 0,
      said: expect.stringContaining('No action'),
    });
    expect(await command('status', ['in_unknown'])).toMatchObject({ code: 1 });
    expect(await command('status', ['cus_unknown'])).toMatchObject({ code: 1 });
    expect(await command('list', [], { json: true })).toEqual({
      code: 0,
      said: `${JSON.stringify({ invoices: [], next: null }, null, 2)}\n`,
    });
    expect(await command('invoices stop', ['in_unknown'])).toMatchObject({ code: 1 });
    expect(await command('queue dismiss', ['sub_1'])).toMatchObject({ code: 3 });
    expect(await command('queue replay', [], { events: true })).toMatchObject({ code: 3 });
    expect(await command('invoices handback')).toMatchObject({ code: 3 });
    expect(await command('keys')).toMatchObject({ code: 0 });
    expect(await command('queue callbacks')).toMatchObject({ code: 0, said: 'No action required.\n' });
  });

  test('what was given wrongly is refused there as it is here', async () => {
    await expect(command('invoices postpone', ['in_1'], { until: 'soon' })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
    await expect(command('list', [], { limit: '0' })).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  });

  test('with DATA_DIR alone, a command that comes while the process stops is carried out then, and closes the database', async () => {
    const now = clock.now();
    const key = { account: 'own', id: 'evt_1' };
    const event = { ...key, type: 'invoice.paid', createdAt: now, receivedAt: now, payload: '{}' };
    await recordEvents(database, [event]);
    await buryEvent(database, key, 'Error: no', now);
    await stop();
    const { release } = await lockDirectory(own);
    const replayed = command('queue replay', [], { events: true });
    setImmediate(release);
    expect(await replayed).toEqual({ code: 0, said: '1 dead event put back, to be processed again\n' });
    const after = await openDatabase({ kind: 'embedded', directory: own });
    const events = await after.query('select processed_at as at, replays from payment_retry.events');
    await after.close();
    expect(events).toEqual([{ at: null, replays: 1 }]);
  });
});

test('beside a real process, commands act on its embedded database', async () => {
  useMigratedFolder();
  const sandbox = await startSandbox({ clock: createSimulatedClock(DateTime.utc()) });
  const settings = {
    DATA_DIR: folder,
    RETRY_MODE: 'advisory',
    STRIPE_SECRET_KEY: sandbox.secretKey,
    STRIPE_WEBHOOK_SECRET: sandbox.webhookSecret,
    STRIPE_API_BASE: sandbox.url,
    SERVICE_PORT: '0',
  };
  const server = await startServerProcess(settings);
  try {
    expect(await command('backfill')).toMatchObject({ code: 0, said: expect.stringContaining('Complete.') });
    expect(await command('queue sync')).toMatchObject({ code: 0 });
    const pausing = spawnCommand(['pause', '--reason', 'a drill', '--json'], { DATA_DIR: folder });
    expect([await pausing.ended, JSON.parse(pausing.output())]).toMatchObject([
      0,
      { outcome: 'changed', code: 'paused', pauses: [{ reason: 'a drill' }] },
    ]);
    expect(await command('status')).toMatchObject({ code: 1, said: expect.stringContaining('a drill') });
    const zoned = { until: '2026-03-29T02:30', zone: 'Europe/Berlin' };
    expect(await command('invoices postpone', ['in_1'], zoned)).toEqual({
      code: 1,
      said: expect.stringContaining('there is no 2026-03-29 02:30 in Europe/Berlin'),
    });
  } finally {
    await server.terminate();
    await sandbox.stop();
  }
});
