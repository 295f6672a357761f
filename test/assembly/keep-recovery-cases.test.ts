import { withRecoveryCases } from '../../src/assembly/keep-recovery-cases.ts';
import { createServiceClients } from '../../src/clients/service-client.ts';
import { systemClock } from '../../src/clock.ts';
import type { RecoveryCase } from '../../src/recovery-cases.ts';
import { keepCallbackCounts, listCallbackCounts } from '../../src/store/callback-counts.ts';
import { findRecoveryCase, keepRecoveryCases } from '../../src/store/recovery-cases.ts';
import { EMBEDDED, openTestDatabase, type TestDatabase } from '../support/databases.ts';
import { type HttpStub, type StubAnswer, startHttpStub } from '../support/http-stub.ts';

const ACCOUNT = 'own';
const AT = '2026-03-02T10:00:00Z';

let test: TestDatabase;
let service: HttpStub;
let answers: StubAnswer[];
beforeAll(async () => {
  test = await openTestDatabase(EMBEDDED);
  service = await startHttpStub(() => answers.shift() ?? page([]));
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

async function read({ isEmbedded = true, hasListing = true } = {}): Promise<string[]> {
  const serviceOf = createServiceClients(() => ({ baseUrl: new URL('/base', service.url), apiKey: 'key' }));
  const sync = {
    handle: async () => {
      if (!hasListing) throw new Error('cut off');
    },
  };
  const job = withRecoveryCases({ isEmbedded, database: test.database, clock: systemClock, serviceOf }, sync);
  await job.handle({ account: ACCOUNT });
  return service.requests.map(({ path }) => path);
}

const wordOn = async (invoiceId: string) => (await findRecoveryCase(test.database, invoiceId))?.reasons;
const from = (revision: number) => `/base/v1/recovery_cases?afterRevision=${revision}`;

it('reads page after page to the end, and goes on from there the next time', async () => {
  answers = [page([decided('in_1', 1), decided('in_2', 2)], true), page([decided('in_1', 7)])];
  expect(await read()).toEqual([from(0), from(2)]);
  expect(await wordOn('in_1')).toEqual(['Decision 7.']);
  expect(await wordOn('in_2')).toEqual(['Decision 2.']);
  expect(await listCallbackCounts(test.database)).toMatchObject([{ account: ACCOUNT, waiting: 1 }]);
  expect((await read()).at(-1)).toBe(from(7));
  expect(await listCallbackCounts(test.database)).toMatchObject([{ account: ACCOUNT, waiting: 0 }]);
  expect(service.requests.at(-1)?.headers.authorization).toBe('Bearer key');
});

it.each<[string, StubAnswer]>([
  ['an old service', { status: 404, body: { success: false } }],
  ['a page of another version', { status: 200, body: { recoveryCases: [{ invoiceId: 'in_1' }] } }],
  ['no service', 'drop'],
])('%s leaves what is known as it is', async (_name, answer) => {
  await keepRecoveryCases(test.database, ACCOUNT, [decided('in_1', 3)]);
  answers = [answer];
  expect(await read()).toEqual([from(3)]);
  expect(await wordOn('in_1')).toEqual(['Decision 3.']);
});

it('a remote service is asked for nothing, and what an embedded one said before is forgotten', async () => {
  await keepRecoveryCases(test.database, ACCOUNT, [decided('in_1', 3)]);
  await keepRecoveryCases(test.database, 'acct_2', [decided('in_2', 3)]);
  await keepCallbackCounts(test.database, ACCOUNT, { waiting: 1, undelivered: 0 }, systemClock.now());
  expect(await read({ isEmbedded: false })).toEqual([]);
  expect(await listCallbackCounts(test.database)).toEqual([]);
  expect([await wordOn('in_1'), await wordOn('in_2')]).toEqual([undefined, ['Decision 3.']]);
});

it('a listing that was cut off is tried again first', async () => {
  await expect(read({ hasListing: false })).rejects.toThrow('cut off');
  expect(service.requests).toEqual([]);
});
