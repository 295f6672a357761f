import { DateTime } from 'luxon';
import {
  findOpenWarning,
  recordCardWarning,
} from '../../../../../src/plugin/store/tables/sync/card-warnings.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../../support/database/databases.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const CARD = { fingerprint: 'fp_1', id: 'pm_2' };

describe.each(ENGINES)('warnings about cards, on $engine', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  beforeEach(() => test.clear());
  afterAll(() => test.close());

  const warning = (id: string, chargeId = 'ch_1') => ({
    account: 'own',
    id,
    chargeId,
    openedAt: NOW,
    fingerprint: 'fp_1',
    paymentMethod: 'pm_1',
  });
  const find = (account = 'own', card: Parameters<typeof findOpenWarning>[2] = CARD) =>
    findOpenWarning(test.database, account, card).then((found) => found?.id);

  it('warnings stand against the card however it is attached, in its account', async () => {
    await recordCardWarning(test.database, warning('dp_1'));
    expect(await find()).toBe('dp_1');
    expect(await find('own', { fingerprint: undefined, id: 'pm_1' })).toBe('dp_1');
    expect(await find('own', { fingerprint: 'fp_2', id: 'pm_2' })).toBeUndefined();
    expect(await find('acct_2')).toBeUndefined();
  });

  it('warnings about a card are lifted with all about the same charge, in whichever order that is heard', async () => {
    await recordCardWarning(test.database, warning('issfr_1'));
    await recordCardWarning(test.database, warning('dp_1'), NOW);
    expect(await find()).toBeUndefined();
    await recordCardWarning(test.database, warning('dp_1'));
    await recordCardWarning(test.database, warning('issfr_2'));
    expect(await find()).toBeUndefined();
    await recordCardWarning(test.database, warning('dp_2', 'ch_2'));
    expect(await find()).toBe('dp_2');
  });
});
