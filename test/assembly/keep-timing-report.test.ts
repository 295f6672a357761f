import { withTimingReport } from '../../src/assembly/keep-timing-report.ts';
import { createServiceClients } from '../../src/clients/service-client.ts';
import { systemClock } from '../../src/clock.ts';
import { listTimingReports } from '../../src/store/timing-reports.ts';
import type { TimingReport } from '../../src/timing-report.ts';
import { EMBEDDED, openTestDatabase, type TestDatabase } from '../support/databases.ts';
import { type HttpStub, type StubAnswer, startHttpStub } from '../support/http-stub.ts';

const REPORT: TimingReport = {
  holdoutPercent: 10,
  staticDays: [1, 3, 5, 7],
  matureDays: 35,
  timed: { cases: 0, recovered: 0 },
  static: { cases: 0, recovered: 0 },
  summary: 'Too few.',
};

let test: TestDatabase;
let service: HttpStub;
let answer: StubAnswer;
beforeAll(async () => {
  test = await openTestDatabase(EMBEDDED);
  service = await startHttpStub(() => answer);
});
afterAll(async () => {
  await service.stop();
  await test.close();
});

/** What is kept after a reading of the listing, and how many requests there were so far. */
async function read(isEmbedded: boolean): Promise<[summaries: string[], requests: number]> {
  const { database } = test;
  const serviceOf = createServiceClients(() => ({ baseUrl: new URL(service.url), apiKey: 'key' }));
  const sync = { handle: async () => {} };
  const job = withTimingReport({ isEmbedded, database, clock: systemClock, serviceOf }, sync);
  await job.handle({ account: 'own' });
  const kept = await listTimingReports(database);
  return [kept.map(({ report }) => report.summary), service.requests.length];
}

it('keeps the latest answer, and forgets it once the service is a remote one', async () => {
  answer = { status: 200, body: REPORT };
  expect(await read(true)).toEqual([['Too few.'], 1]);
  answer = { status: 200, body: { nothing: 'of use' } };
  expect(await read(true)).toEqual([['Too few.'], 2]);
  expect(await read(false)).toEqual([[], 2]);
});
