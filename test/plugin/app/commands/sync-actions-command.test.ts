import { runOnStore } from '../../../../src/cli/process/run-on-store.ts';
import { systemClock } from '../../../../src/core/base/clock.ts';
import { openDatabase } from '../../../../src/core/database/open-database.ts';
import { findRecoveryCase } from '../../../../src/plugin/store/reports/kept-cases.ts';
import { migrateService } from '../../../../src/service/migrate-service.ts';
import { MAIN, type TestLocation, variablesOf } from '../../../support/database/databases.ts';
import { type ListingService, startListingService } from '../../../support/http/listing-service.ts';
import { toTerminal } from '../../../support/process/command-process.ts';
import { executedRecord, instructionRecord } from '../../retry/instructions/listing-fixture.ts';

let service: ListingService;
let place: TestLocation;
const before = { ...process.env };
beforeAll(async () => {
  service = await startListingService(systemClock);
  place = await MAIN.createMigrated();
});
afterAll(async () => {
  await service?.stop();
  await place?.remove();
});
beforeEach(() => {
  Object.assign(process.env, {
    ...variablesOf(place.location),
    RETRY_MODE: 'advisory',
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
    RETRY_SERVICE_URL: new URL('/base', service.url).href,
    RETRY_SERVICE_API_KEY: 'key_1',
    RECOVERY_CALLBACK_TOKEN: 'token_1-0123456789-abcdefgh',
  });
});
afterEach(() => {
  process.env = { ...before };
  service.reset();
});

async function sync(): Promise<{ code: number; said: string }> {
  const said: string[] = [];
  const code = await runOnStore('queue sync', [], {}, toTerminal(said));
  return { code, said: said.join('') };
}

test('the command says what it found, and leaves instructions for the sweep of the plugin', async () => {
  const now = systemClock.now();
  service.records.push(executedRecord('act_1', now.minus({ days: 1 })), instructionRecord('req_1', now), {
    createdAt: now.toISO(),
    note: 'odd',
  });
  expect(await sync()).toEqual({
    code: 0,
    said: [
      'Recovery actions listed: 4',
      '  new to the history: 3',
      '  instructions applied, whose callbacks never came: 1',
      '  instructions known already: 0',
      '  not understood, kept as they came: 1',
      '',
    ].join('\n'),
  });
  const database = await openDatabase(place.location);
  const unplanned =
    'select request_id as id, source from payment_retry.instructions where handled_at is null';
  expect(await database.query(unplanned)).toEqual([{ id: 'req_1', source: 'listing' }]);
  await database.close();
});

test('an embedded service is asked too, and for what it has decided', async () => {
  delete process.env.RETRY_SERVICE_URL;
  const database = await openDatabase(place.location);
  await migrateService(database);
  await database.exec(
    `insert into retry_service.cases (organization, invoice_id, state, reason, revision, opened_at, updated_at)
     values ('default', 'in_1', 'closed', 'attempts_used_up', 1, now(), now())`,
  );
  await database.close();
  const { code, said } = await sync();
  expect([code, said.split('\n')[0]]).toEqual([0, 'Recovery actions listed: 0']);
  const after = await openDatabase(place.location);
  expect(await findRecoveryCase(after, 'in_1')).toMatchObject({ reason: 'attempts_used_up' });
  await after.close();
});

test('a listing that is cut off gives exit code 1 and the reason', async () => {
  service.intervene = () => ({ status: 429, headers: { 'retry-after': '30' }, body: { message: 'slowly' } });
  const { code, said } = await sync();
  expect(code).toBe(1);
  expect(said).toMatch(
    /Incomplete: .*the service asks for fewer requests: .*slowly.* Run it again to go on from there\.\n$/,
  );
});
