import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { createServiceClients } from '../../../src/plugin/clients/service-client.ts';
import { NOW } from '../../support/database/stored-rows.ts';
import { type HttpStub, type StubAnswer, startHttpStub } from '../../support/http/http-stub.ts';

let service: HttpStub;
let answer: StubAnswer;
beforeAll(async () => {
  service = await startHttpStub(() => answer);
});
afterAll(() => service.stop());
beforeEach(() => {
  service.requests.length = 0;
});

function open() {
  const clock = createSimulatedClock(NOW);
  const client = createServiceClients(() => ({ baseUrl: service.url, apiKey: 'key' }), { clock });
  return { clock, can: () => client('acct_1').can('extended_records') };
}

const listing = (...capabilities: string[]): StubAnswer => ({ status: 200, body: { capabilities } });

it('what a service lists is what it can, asked once in an hour', async () => {
  const { clock, can } = open();
  answer = listing('extended_records', 'something_new');
  expect([await can(), await can()]).toEqual([true, true]);
  expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/capabilities']);
  answer = listing('something_new');
  await clock.set(NOW.plus({ minutes: 61 }));
  expect(await can()).toBe(false);
});

it.each([404, 405, 501, 401, 500])('a service that answers %d does the contract alone', async (status) => {
  answer = { status };
  expect(await open().can()).toBe(false);
});

it('an answer that is no list of capabilities is none', async () => {
  answer = { status: 200, body: '<html>' };
  expect(await open().can()).toBe(false);
});

it('a service that is away is not known, or as it was known before', async () => {
  const { clock, can } = open();
  answer = 'drop';
  expect(await can()).toBeUndefined();
  answer = listing('extended_records');
  expect(await can()).toBe(true);
  await clock.set(NOW.plus({ hours: 2 }));
  answer = { status: 503 };
  expect(await can()).toBe(true);
});

it.each<[StubAnswer, boolean]>([
  [{ status: 401 }, true],
  [{ status: 403 }, true],
  [{ status: 408 }, true],
  [{ status: 500 }, true],
  [{ status: 200, body: '<html>' }, true],
  [{ status: 404 }, false],
  [{ status: 501 }, false],
  [listing(), false],
])('a service that can and then answers %j still can: %p', async (later, expected) => {
  const { clock, can } = open();
  answer = listing('extended_records');
  await can();
  answer = later;
  for (const hours of [2, 4]) {
    await clock.set(NOW.plus({ hours }));
    expect(await can()).toBe(expected);
  }
});
