/** Reading a year of history from Stripe, with interruptions. */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { createStripeClient, type StripeClient } from '../../../src/plugin/clients/stripe-client.ts';
import { readFailedRenewals } from '../../../src/workbench/assess/history/failed-renewals.ts';
import { openHistoryFile } from '../../../src/workbench/assess/history/history-file.ts';
import { readHistory } from '../../../src/workbench/assess/history/read-history.ts';
import { startPastAccount } from '../../../src/workbench/assess/sample/past-account.ts';
import type { Sandbox } from '../../../src/workbench/sandbox/sandbox.ts';

const END = DateTime.fromISO('2026-11-01T00:00:00Z', { zone: 'utc' });
const RANGE = {
  account: 'acct_1',
  from: Math.floor(END.minus({ months: 12 }).toSeconds()),
  to: Math.floor(END.toSeconds()),
};

let sandbox: Sandbox;
let stripe: StripeClient;
const folder = mkdtempSync(join(tmpdir(), 'assess-'));
const path = join(folder, 'history.part.jsonl');

beforeAll(async () => {
  sandbox = await startPastAccount({ end: END, customers: 20, seed: 3 });
  const { secretKey, url } = sandbox;
  stripe = createStripeClient({ stripe: { secretKey, apiBase: new URL(url) } });
});

afterAll(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true });
});

afterEach(() => {
  sandbox.faults.clear();
  rmSync(path, { force: true });
});

const read = (mostPages = Number.POSITIVE_INFINITY) => {
  let pages = -1;
  const shares: number[] = [];
  const file = openHistoryFile(path, RANGE);
  const done = readHistory(stripe, file, {
    account: 'own',
    perSecond: 1000,
    isInterrupted: () => pages >= mostPages,
    onPage: (share) => {
      pages += 1;
      shares.push(share);
    },
  });
  return { file, done, shares };
};

test('reads every invoice, payment and charge of the year once, and stores no name, no address, no part of a card number', async () => {
  const { file, done, shares } = read();
  expect(await done).toBe(true);
  const { renewals, attempts } = readFailedRenewals(file.pages);
  expect(renewals).toHaveLength(sandbox.state.invoices.size);
  expect(attempts).toHaveLength(sandbox.state.charges.size);
  expect(shares.at(-1)).toBe(1);
  expect([...shares].sort((one, other) => one - other)).toEqual(shares);
  expect(readFileSync(path, 'utf8')).not.toMatch(/Customer \d|last4|email|"name"/);
});

test('what was paid outside of Stripe ends a failed renewal as any payment does', async () => {
  const open = [...sandbox.state.invoices.newestFirst()].find(
    ({ id, status, created }) =>
      status === 'open' && created < RANGE.to && sandbox.state.invoices.get(id)?.attempt_count,
  );
  if (open === undefined) throw new Error('Nothing is open.');
  const before = sandbox.state.charges.size;
  sandbox.recordPart(open.id, open.amount_remaining);
  const { file, done } = read();
  await done;
  const { attempts, failed } = readFailedRenewals(file.pages);
  expect(attempts).toHaveLength(before + 1);
  expect(failed.find(({ invoice }) => invoice.id === open.id)).toMatchObject({
    ending: { kind: 'recovered', cause: 'other_card' },
    attempts: expect.arrayContaining([
      expect.objectContaining({ id: expect.stringMatching(/^par_/), outcome: 'paid' }),
    ]),
  });
});

test('an interrupted run goes on where it stopped, and comes to the same', async () => {
  const whole = read();
  await whole.done;
  const expected = readFailedRenewals(whole.file.pages);
  rmSync(path);
  expect(await read(5).done).toBe(false);
  const asked = sandbox.state.apiCalls.length;
  // A crash in the middle of a line.
  appendFileSync(path, '{"list":"charges","stre');
  const rest = read();
  expect(await rest.done).toBe(true);
  expect(sandbox.state.apiCalls.length - asked).toBeLessThan(whole.file.pages.length);
  const found = readFailedRenewals(rest.file.pages);
  expect(found.failed.map(({ invoice }) => invoice.id).sort()).toEqual(
    expected.failed.map(({ invoice }) => invoice.id).sort(),
  );
});

test('keeps what it has when Stripe refuses the key', async () => {
  sandbox.faults.next('GET', '/v1/charges', 'permission_denied');
  await expect(read().done).rejects.toThrow();
  expect(existsSync(path)).toBe(true);
  expect(await read().done).toBe(true);
});

test('does not mix the history of two accounts', async () => {
  openHistoryFile(path, RANGE);
  expect(() => openHistoryFile(path, { ...RANGE, account: 'acct_2' })).toThrow(
    /holds what was read of acct_1, not of acct_2/,
  );
});
