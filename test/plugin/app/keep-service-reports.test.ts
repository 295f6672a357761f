import { systemClock } from '../../../src/core/base/clock.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { CAPABILITIES } from '../../../src/core/contract/capabilities.ts';
import type { RecoveryCase } from '../../../src/core/contract/recovery-cases.ts';
import { withServiceReports } from '../../../src/plugin/app/keep-service-reports.ts';
import { createServiceClients } from '../../../src/plugin/clients/service-client.ts';
import { loadConfig } from '../../../src/plugin/settings/config.ts';
import {
  findRecoveryCase,
  keepRecoveryCases,
  keptCallbacks,
  listKeptCallbacks,
} from '../../../src/plugin/store/reports/kept-cases.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { type HttpStub, type StubAnswer, startHttpStub } from '../../support/http/http-stub.ts';

const ACCOUNT = 'own';
const config = loadConfig(
  { retryMode: 'advisory', stripeSecretKey: 'sk_test_1', stripeWebhookSecret: 'whsec_1' },
  {},
);
const CAPABILITIES_PATH = '/base/v1/capabilities';
const AT = '2026-03-02T10:00:00Z';

let test: TestDatabase;
let service: HttpStub;
/** To the questions for cases, in turn. */
let answers: StubAnswer[];
let capabilities: StubAnswer;
beforeAll(async () => {
  test = await openTestDatabase(MAIN);
  service = await startHttpStub(({ path }) => {
    if (path === CAPABILITIES_PATH) return capabilities;
    return answers.shift() ?? page([]);
  });
});
beforeEach(async () => {
  await test.clear();
  service.requests.length = 0;
  answers = [];
});
afterAll(async () => {
  await service.stop();
  await test.close();
});

function page(recoveryCases: RecoveryCase[], hasMore = false): StubAnswer {
  const callbacks = { waiting: recoveryCases.length, undelivered: 0 };
  return { status: 200, body: { recoveryCases, hasMore, ...(hasMore ? {} : { callbacks }) } };
}

function decided(invoiceId: string, revision: number): RecoveryCase {
  const reasons = [`Decision ${revision}.`];
  const of = { state: 'open', reason: 'x', isOnStaticSchedule: false, openedAt: AT, updatedAt: AT } as const;
  return { invoiceId, revision, reasons, ...of };
}

async function read({ hasReports = true, hasListing = true } = {}): Promise<string[]> {
  capabilities = hasReports ? { status: 200, body: { capabilities: CAPABILITIES } } : { status: 404 };
  const serviceOf = createServiceClients(() => ({ baseUrl: new URL('/base', service.url), apiKey: 'key' }));
  const sync = {
    handle: async () => {
      if (!hasListing) throw new Error('cut off');
    },
  };
  const job = withServiceReports(
    {
      database: test.database,
      clock: systemClock,
      logger: silentLogger,
      serviceOf,
      config,
      enqueue: async () => {},
    },
    sync,
  );
  await job.handle({ account: ACCOUNT });
  return service.requests.map(({ path }) => path).filter((path) => path !== CAPABILITIES_PATH);
}

const wordOn = async (invoiceId: string) => (await findRecoveryCase(test.database, invoiceId))?.reasons;
const from = (revision: number) => `/base/v1/recovery_cases?afterRevision=${revision}`;

it('reads page after page to the end, and goes on from there the next time', async () => {
  answers = [page([decided('in_1', 1), decided('in_2', 2)], true), page([decided('in_1', 7)])];
  expect(await read()).toEqual([from(0), from(2)]);
  expect(await wordOn('in_1')).toEqual(['Decision 7.']);
  expect(await wordOn('in_2')).toEqual(['Decision 2.']);
  expect(await listKeptCallbacks(test.database)).toMatchObject([
    { account: ACCOUNT, report: { waiting: 1 } },
  ]);
  expect((await read()).at(-1)).toBe(from(7));
  expect(await listKeptCallbacks(test.database)).toMatchObject([
    { account: ACCOUNT, report: { waiting: 0 } },
  ]);
  expect(service.requests.at(-1)?.headers.authorization).toBe('Bearer key');
});

it.each<[string, StubAnswer]>([
  ['an old service', { status: 404, body: { success: false } }],
  ['a page of another version', { status: 200, body: { recoveryCases: [{ invoiceId: 'in_1' }] } }],
  ['no service', 'drop'],
])('%s leaves what is known as it is', async (_name, answer) => {
  await keepRecoveryCases(test.database, ACCOUNT, [decided('in_1', 3)]);
  answers = [answer];
  // A kept connection that breaks is asked again on a new one.
  expect(new Set(await read())).toEqual(new Set([from(3)]));
  expect(await wordOn('in_1')).toEqual(['Decision 3.']);
});

it('a service of the contract alone is asked for no reports, and those of another one before are forgotten', async () => {
  await keepRecoveryCases(test.database, ACCOUNT, [decided('in_1', 3)]);
  await keepRecoveryCases(test.database, 'acct_2', [decided('in_2', 3)]);
  await keptCallbacks.set(test.database, ACCOUNT, { waiting: 1, undelivered: 0 }, systemClock.now());
  await read({ hasReports: false });
  expect(service.requests.map(({ path }) => path)).toEqual([CAPABILITIES_PATH]);
  expect(await listKeptCallbacks(test.database)).toEqual([]);
  expect([await wordOn('in_1'), await wordOn('in_2')]).toEqual([undefined, ['Decision 3.']]);
});

it('a listing that was cut off is tried again first', async () => {
  await expect(read({ hasListing: false })).rejects.toThrow('cut off');
  expect(service.requests.map(({ path }) => path)).toEqual([CAPABILITIES_PATH]);
});
