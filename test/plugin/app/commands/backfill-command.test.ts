/** The command as a person sees it: on a real clock, against the sandbox and a remote service. */

import { rmSync } from 'node:fs';
import { DateTime } from 'luxon';
import { runOnStore } from '../../../../src/cli/process/run-on-store.ts';
import { createSimulatedClock, fromUnixMs, systemClock } from '../../../../src/core/base/clock.ts';
import { silentLogger } from '../../../../src/core/base/logger.ts';
import { lockDirectory } from '../../../../src/core/database/directory-lock.ts';
import { openDatabase } from '../../../../src/core/database/open-database.ts';
import {
  closingTable,
  describeProgress,
  toClosingRow,
} from '../../../../src/plugin/app/commands/describe-backfill.ts';
import { createProgressLine } from '../../../../src/plugin/operator/text/progress-line.ts';
import { migratePlugin } from '../../../../src/plugin/store/migrate-plugin.ts';
import { insertRun } from '../../../../src/plugin/store/tables/backfill/backfill-runs.ts';
import { recordDrifts } from '../../../../src/plugin/store/tables/backfill/drifts.ts';
import { insertAction } from '../../../../src/plugin/store/tables/retry/actions.ts';
import { accepts } from '../../../../src/workbench/sandbox/payment-behaviour.ts';
import { type Sandbox, startSandbox } from '../../../../src/workbench/sandbox/sandbox.ts';
import { newDataDirectory } from '../../../support/database/data-directory.ts';
import { MAIN, optionsOf, type TestLocation } from '../../../support/database/databases.ts';
import {
  type RecordingService,
  SERVICE_KEY,
  startRecordingService,
} from '../../../support/http/recording-service.ts';
import { inFull } from '../../../support/runner/full-run.ts';

let sandbox: Sandbox;
let service: RecordingService;
let place: TestLocation;

const clock = createSimulatedClock(DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' }));

const never = new Promise<void>(() => {});

function createTerminal(interrupted: Promise<void> = never) {
  const written: string[] = [];
  return {
    written,
    terminal: { output: { write: (text: string) => written.push(text) }, interrupted: () => interrupted },
  };
}

const settings = () => ({
  retryMode: 'advisory' as const,
  stripeSecretKey: sandbox.secretKey,
  stripeWebhookSecret: sandbox.webhookSecret,
  stripeApiBase: sandbox.url,
  retryServiceUrl: service.url,
  retryServiceApiKey: SERVICE_KEY,
  recoveryCallbackToken: 'a-token-for-tests-0123456789-abcdefgh',
  ...optionsOf(place.location),
  logger: silentLogger,
  environment: {},
});

function fill(count: number): void {
  const { id: price } = sandbox.createPrice();
  for (let index = 0; index < count; index += 1) {
    const { id: customer } = sandbox.createCustomer({ paymentMethod: accepts() });
    sandbox.importSubscription({ customer, items: [{ price }] });
  }
}

async function planEmail(): Promise<void> {
  const database = await openDatabase(place.location, silentLogger);
  await migratePlugin(database);
  const createdAt = systemClock.now().minus({ hours: 1 });
  const origin = {
    account: 'own',
    cause: 'instruction',
    reference: '1',
    kind: 'card_update_email',
    invoiceId: 'in_1',
  } as const;
  const nothing = {
    customerId: undefined,
    subscriptionId: undefined,
    requestId: undefined,
    paymentMethod: undefined,
  };
  await insertAction(database, {
    id: crypto.randomUUID(),
    ...origin,
    ...nothing,
    dueAt: createdAt,
    createdAt,
  });
  await database.close();
}

describe('against Stripe and a remote service', () => {
  beforeEach(async () => {
    sandbox = await startSandbox({ clock });
    service = await startRecordingService(clock);
    place = await MAIN.createMigrated();
  });
  afterEach(async () => {
    await Promise.all([sandbox.stop(), service.stop()]);
    await place.remove();
  });

  test('reads, delivers, prints a table that balances, leaves a due email, and a second run finds all unchanged', async () => {
    fill(101);
    await planEmail();
    const first = createTerminal();
    expect(await runOnStore('backfill', [], {}, first.terminal, settings())).toBe(0);
    expect(service.view.size).toBe(101);
    const table = first.written.join('');
    expect(table).toMatch(/subscriptions +101 +101 +0 +0 +0 +0 +0\n/);
    expect(table).toMatch(/Complete\.\n$/);

    const requests = service.requests.length;
    const second = createTerminal();
    expect(await runOnStore('backfill', [], {}, second.terminal, settings())).toBe(0);
    expect(second.written.join('')).toMatch(/subscriptions +101 +0 +101 +0/);
    expect(service.requests.length).toBe(requests);
    // The process of the application may send and word it itself.
    const after = await openDatabase(place.location, silentLogger);
    expect(await after.query('select state from payment_retry.actions')).toEqual([{ state: 'scheduled' }]);
    await after.close();
  });

  test('a reading that has begun goes on, as far back as it was begun; refused records end it with 1 and what to do', async () => {
    fill(3);
    const database = await openDatabase(place.location);
    await migratePlugin(database);
    const startedAt = systemClock.now().minus({ hours: 1 });
    const ranges = [
      { list: 'subscriptions' as const, from: 0, to: Math.ceil(systemClock.now().toSeconds()) },
    ];
    const run = { account: 'own', kind: 'backfill' as const, months: 3, perSecond: 20, startedAt, ranges };
    await database.transaction((tx) => insertRun(tx, run));
    await database.close();
    const [refused] = [...sandbox.state.subscriptions.newestFirst()];
    service.answer = ({ records }) =>
      records.some(({ id }) => id === refused?.id) ? { status: 422 } : undefined;

    const { written, terminal } = createTerminal();
    expect(await runOnStore('backfill', [], { months: '24' }, terminal, settings())).toBe(1);
    expect(written[0]).toMatch(
      /^Going on with the reading that began at .* goes back 3 months, not 24: run it again/,
    );
    expect(written.join('')).toMatch(/subscriptions +3 +2 +0 +1 /);
    expect(written.join('')).toContain('`queue replay --refused`');
  });

  test('interrupted, it stops and says how to go on; --months is a whole number up to 120', async () => {
    fill(3);
    service.isDown = true;
    const { written, terminal } = createTerminal(Promise.resolve());
    expect(await runOnStore('backfill', [], {}, terminal, settings())).toBe(1);
    expect(written.join('')).toContain('Run it again to go on there');
    // Refused whatever there is to go on with.
    for (const months of ['0', 'x', '1.5', '121'])
      await expect(runOnStore('backfill', [], { months }, terminal, settings())).rejects.toThrow(/--months/);
  });

  inFull('an embedded database that another process has open is told with what to do', async () => {
    const dataDir = newDataDirectory();
    // Long ago, so that nobody waits for it to be ready.
    const lock = await lockDirectory(dataDir, { clock: createSimulatedClock(DateTime.utc(2020)) });
    try {
      await expect(
        runOnStore('backfill', [], {}, createTerminal().terminal, {
          ...settings(),
          databaseUrl: undefined,
          dataDir,
        }),
      ).rejects.toMatchObject({
        code: 'DATA_DIR_LOCKED',
        help: expect.stringContaining('Stop that process'),
      });
    } finally {
      lock.release();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  inFull('verify compares, changes nothing, and says so of a good installation', async () => {
    fill(3);
    expect(await runOnStore('backfill', [], {}, createTerminal().terminal, settings())).toBe(0);
    const { written, terminal } = createTerminal();
    expect(await runOnStore('verify', [], {}, terminal, settings())).toBe(0);
    expect(written.at(-1)).toBe('3 objects of Stripe compared, none differs.\n');
  });

  test('verify says what differs, a line each, ends with 1, and repairs it where that is asked for', async () => {
    fill(3);
    expect(await runOnStore('backfill', [], {}, createTerminal().terminal, settings())).toBe(0);
    const [changed, lost] = [...sandbox.state.subscriptions.newestFirst()].map(({ id }) => id);
    const database = await openDatabase(place.location);
    await database.query(`update payment_retry.subscriptions set status = 'unpaid' where id = $1`, [changed]);
    await database.query(`delete from payment_retry.subscriptions where id = $1`, [lost]);
    // Found a while ago, so that the second look is due.
    const startedAt = systemClock.now().minus({ minutes: 5 });
    const ranges = [{ list: 'drifts' as const, from: 0, to: 0 }];
    const run = await insertRun(database, {
      account: 'own',
      kind: 'verification',
      months: 12,
      perSecond: 20,
      startedAt,
      ranges,
    });
    const found = { run: run?.id ?? 0, kind: 'subscriptions', ids: [changed ?? '', lost ?? ''] } as const;
    await recordDrifts(database, { ...found, now: startedAt });
    await database.close();

    const { written, terminal } = createTerminal();
    expect(await runOnStore('verify', [], { fix: true }, terminal, settings())).toBe(1);
    const text = written.join('');
    expect(text).toContain(`subscription ${changed}: status is unpaid here, active at Stripe\n`);
    expect(text).toContain(`subscription ${lost}: record is not stored here, active at Stripe\n`);
    expect(text).toContain('2 differ.');
    expect(text).toContain('Everything was read again.');
    const again = createTerminal();
    expect(await runOnStore('verify', [], { json: true }, again.terminal, settings())).toBe(0);
    expect(JSON.parse(again.written.at(-1) ?? '')).toMatchObject({ compared: 3, differing: 0, drifts: [] });
  });
});

const at = fromUnixMs(Date.parse('2026-03-02T10:00:00Z'));
const kind = {
  kind: 'subscriptions' as const,
  read: 500,
  added: 500,
  repaired: 0,
  equal: 0,
  silent: 0,
  skipped: 0,
};
const report = {
  run: 1,
  kind: 'backfill' as const,
  months: 12,
  startedAt: at,
  finishedAt: null,
  reason: null,
  failures: 0,
  movedAt: at,
  readSeconds: 300,
  openSeconds: 900,
  list: 'subscriptions' as const,
  secondLookAt: null,
  kinds: [kind],
};
const pace = { seconds: 10, readAtStart: 0, listBegan: { seconds: 0, readSeconds: 0 } };

test('progress names the share of time read, the rate and the time left', () => {
  const reason = { code: 'stripe_answered', status: 429, message: 'Too fast.' } as const;
  expect(describeProgress(report, 7, pace)).toBe(
    '[######------------------] 25 % of subscriptions · 500 read · 50/s · 0:30 left',
  );
  expect(describeProgress({ ...report, failures: 2, reason }, 7, pace)).toContain(
    '· Stripe answered 429: Too fast.',
  );
  expect(describeProgress({ ...report, list: null }, 7, pace)).toContain('7 still to be delivered');
  expect(describeProgress({ ...report, list: 'drifts', secondLookAt: at }, 0, pace)).toMatch(
    /^everything is compared \(500\); what differs is looked at again from 20.* UTC on, when changes on their way have come$/,
  );
});

test('a row whose parts do not add up is not balanced', () => {
  const whole = toClosingRow(kind, { forwarded: 499, refused: 1, waiting: 0 });
  expect(whole.isBalanced).toBe(true);
  expect(toClosingRow(kind, { forwarded: 498, refused: 1, waiting: 0 }).isBalanced).toBe(false);
  expect(closingTable([whole]).split('\n')).toHaveLength(2);
});

test('progress is one line on a terminal, and a line now and then elsewhere', () => {
  const screen: string[] = [];
  const line = createProgressLine({ write: (text) => screen.push(text), isTTY: true, columns: 6 });
  line.show('123456789');
  line.end();
  expect(screen).toEqual(['\r\u001b[K12345', '\n']);

  const log: string[] = [];
  const plain = createProgressLine({ write: (text) => log.push(text) });
  for (let look = 1; look <= 20; look += 1) plain.show(`look ${look}`);
  plain.end();
  expect(log).toEqual(['look 1\n', 'look 16\n', 'look 20\n']);
});
