/** Several people at the same moment, on each database. */
import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import { type OperationName, operationOf } from '../../../../src/plugin/operator/operations/operations.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { operationsOn } from '../../../support/operate.ts';
import { NOW } from '../console/console-harness.ts';
import { insertFailedInvoice } from '../console/failure-rows.ts';

const PEOPLE = ['ada', 'grace', 'edsger'];
const INVOICE = 'in_1QabcDEFghi';

describe.each(ENGINES)('on $engine', (engine) => {
  let own: TestDatabase;
  beforeAll(async () => {
    own = await openTestDatabase(engine);
  });
  afterAll(() => own?.close());
  beforeEach(async () => {
    await own.clear();
    await insertFailedInvoice(own.database, { id: INVOICE, at: NOW });
  });

  /** What each was answered, and who the audit says it was. */
  const askAtOnce = async (name: OperationName, given: object = {}) => {
    const { database } = own;
    const operations = operationsOn({ database, clock: createSimulatedClock(NOW) });
    const results = await Promise.all(
      PEOPLE.map((person) =>
        operationOf(name).carryOut(
          operations,
          { who: { name: person, via: 'console' }, reason: `asked by ${person}` },
          { invoice: INVOICE, ...given },
        ),
      ),
    );
    const audit = await database.query<{ kind: string; by: string; note: string }>(
      `select kind, detail ->> 'by' as by, detail ->> 'note' as note from payment_retry.audit order by id`,
    );
    const changed = results.findIndex(({ outcome }) => outcome === 'changed');
    return {
      codes: results.map(({ code }) => code).sort(),
      changer: PEOPLE[changed],
      last: audit.at(-1),
      lines: audit.length,
    };
  };
  const lineOf = (kind: string, by: string | undefined) => ({ kind, by, note: `asked by ${by}` });

  test('three people who stop an invoice at the same moment stop it once, then release it once', async () => {
    const stopped = await askAtOnce('stop');
    expect(stopped.codes).toEqual(['stopped', 'stopped_already', 'stopped_already']);
    expect([stopped.lines, stopped.last]).toEqual([1, lineOf('operator.stopped', stopped.changer)]);
    const released = await askAtOnce('release');
    expect(released.codes).toEqual(['released', 'released_already', 'released_already']);
    expect([released.lines, released.last]).toEqual([2, lineOf('operator.released', released.changer)]);
  });

  test('three people who postpone an invoice to one time at the same moment postpone it once', async () => {
    const { codes, lines, last, changer } = await askAtOnce('postpone', { until: '2026-03-05' });
    expect(codes).toEqual(['postponed', 'postponed_already', 'postponed_already']);
    expect([lines, last]).toEqual([1, lineOf('operator.postponed', changer)]);
  });
});
