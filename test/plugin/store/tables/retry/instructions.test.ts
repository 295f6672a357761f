import { DateTime } from 'luxon';
import {
  findInstruction,
  hasNewerInstruction,
  listUnhandledInstructions,
  type NewInstruction,
  recordInstruction,
  settleInstruction,
} from '../../../../../src/plugin/store/tables/retry/instructions.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../../support/database/databases.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

function instruction(requestId: string, changes: Partial<NewInstruction> = {}): NewInstruction {
  return {
    account: 'own',
    requestId,
    source: 'callback',
    receivedAt: NOW,
    type: 'suggestion',
    invoiceId: 'in_1',
    subscriptionId: undefined,
    suggestion: 'ACTION_SUGGESTION_RETRY',
    idealRetryAt: NOW,
    body: String.raw`{"a":"\u0000"}`,
    ...changes,
  };
}

describe.each(ENGINES)('instructions on $engine', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  beforeEach(() => test.clear());
  afterAll(() => test.close());

  const settle = (requestId: string, state: string) =>
    settleInstruction(
      test.database,
      { account: 'own', requestId },
      { state, reason: { code: 'no_suggestion' } },
      NOW,
    );

  it('the store records a repeated request id of an instruction once and keeps what came first', async () => {
    expect(await recordInstruction(test.database, instruction('req_1'))).toBe(true);
    expect(await recordInstruction(test.database, instruction('req_1', { invoiceId: 'in_2' }))).toBe(false);
    expect(await findInstruction(test.database, 'own', 'req_1')).toMatchObject({
      invoiceId: 'in_1',
      handledAt: null,
    });
  });

  it('the store records one of many equal instructions that come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => recordInstruction(test.database, instruction('req_1'))),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  it('the store settles an instruction once; later results change nothing', async () => {
    await recordInstruction(test.database, instruction('req_1'));
    const answers = await Promise.all(
      ['scheduled', 'refused', 'no_action'].map((state) => settle('req_1', state)),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await settle('req_1', 'failed')).toBeUndefined();
  });

  it('the store knows which instruction in force for an invoice was recorded last, whatever times they carry', async () => {
    await recordInstruction(test.database, instruction('req_1', { receivedAt: NOW.plus({ hours: 1 }) }));
    await recordInstruction(test.database, instruction('req_2', { receivedAt: NOW }));
    await recordInstruction(test.database, instruction('req_3', { invoiceId: 'in_other' }));
    const newer = async (id: string) => hasNewerInstruction(test.database, 'own', id);
    expect(await newer('req_1')).toBe(false);
    await settle('req_2', 'scheduled');
    expect([await newer('req_1'), await newer('req_2'), await newer('req_3')]).toEqual([true, false, false]);
  });

  it('a later instruction that came to nothing replaces none; a later stop does at once', async () => {
    const newer = async () => hasNewerInstruction(test.database, 'own', 'req_1');
    await recordInstruction(test.database, instruction('req_1'));
    await recordInstruction(test.database, instruction('req_2'));
    await settle('req_2', 'refused');
    expect(await newer()).toBe(false);
    await recordInstruction(test.database, instruction('req_3', { type: 'stop', suggestion: undefined }));
    expect(await newer()).toBe(true);
  });

  it('the store lists the instructions that are recorded and not planned', async () => {
    await recordInstruction(test.database, instruction('req_1'));
    await recordInstruction(test.database, instruction('req_2'));
    await recordInstruction(test.database, instruction('req_late', { receivedAt: NOW.plus({ hours: 1 }) }));
    await settle('req_1', 'scheduled');
    expect(await listUnhandledInstructions(test.database, NOW, 10)).toEqual([
      { account: 'own', requestId: 'req_2' },
    ]);
  });
});
