import fc from 'fast-check';
import type { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { DatabaseAwayError } from '../../../src/core/base/errors.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import type { ExtendedTransaction } from '../../../src/core/contract/contract-extensions.ts';
import type { Database } from '../../../src/core/database/database.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import { ATTEMPT_LIMITS } from '../../../src/core/limits/attempt-limits.ts';
import { REMINDER_DAYS } from '../../../src/core/limits/reminder-days.ts';
import { createMeasures } from '../../../src/core/telemetry/measures.ts';
import { createDecider } from '../../../src/service/decide/decide-cases.ts';
import { migrateService } from '../../../src/service/migrate-service.ts';
import type { ServicePayloads } from '../../../src/service/service-queues.ts';
import { upsertRecords } from '../../../src/service/store/ingested-records.ts';
import { MAIN, type TestLocation } from '../../support/database/databases.ts';
import { inFull } from '../../support/runner/full-run.ts';
import {
  buildInvoiceMessage,
  buildSubscriptionMessage,
  buildTransactionMessage,
  START,
} from '../service-messages.ts';

let place: TestLocation;
let database: Database;
beforeAll(async () => {
  place = await MAIN.create();
  database = await openDatabase(place.location);
  await migrateService(database);
});
afterAll(async () => {
  await database.close();
  await place.remove();
});

/** A decider of its own clock, and what it asked for. */
function startDecider() {
  const clock = createSimulatedClock(START);
  const asked: string[] = [];
  const decide = createDecider({
    database,
    clock,
    logger: silentLogger,
    enqueue: async (name, jobs) => {
      asked.push(...jobs.map(({ startAfter }) => `${name} ${startAfter?.toISO()}`));
    },
    defaultTimeZone: 'UTC',
    holdoutPercent: 20,
    attemptLimits: ATTEMPT_LIMITS,
    reminderDays: REMINDER_DAYS,
    measures: createMeasures(),
  });
  return { clock, asked, decide };
}

type Ask = (requests: readonly ServicePayloads['decide'][]) => Promise<void>;

/** What one payment of a case comes to, a few days after the one before. */
const answer = fc.constantFrom(
  ...[
    'insufficient_funds',
    'generic_decline',
    'stolen_card',
    'try_again_later',
    'nothing',
    'paid',
    'canceled',
  ],
);
const story = fc.record({
  customer: fc.integer({ min: 1, max: 4 }),
  country: fc.constantFrom('US', 'DE', 'JP'),
  amount: fc.integer({ min: 50, max: 200_000 }),
  answers: fc.array(answer, { minLength: 3, maxLength: 3 }),
});
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

/** Tells the answers of one round to an organization, and the decider of its cases. */
async function tell(organization: string, stories: readonly Story[], round: number, now: DateTime) {
  const at = now.toISO() ?? '';
  const about = stories.map((one, index) => ({ one, answer: one.answers[round] ?? '', id: `${index + 1}` }));
  const news = about.filter(({ answer }) => answer !== 'nothing');
  await upsertRecords(
    database,
    organization,
    'subscriptions',
    news.map(({ answer, id }) =>
      buildSubscriptionMessage({
        id: `sub_${id}`,
        updatedAt: at,
        state: answer === 'canceled' ? 'SUBSCRIPTION_STATE_CANCELED' : 'SUBSCRIPTION_STATE_ACTIVE',
      }),
    ),
  );
  await upsertRecords(
    database,
    organization,
    'invoices',
    about.map(({ one, answer, id }) =>
      buildInvoiceMessage({
        id: `in_${id}`,
        subscriptionId: `sub_${id}`,
        customerId: `cus_${one.customer}`,
        state: answer === 'paid' ? 'INVOICE_STATE_PAID' : 'INVOICE_STATE_UNPAID',
        updatedAt: at,
      }),
    ),
  );
  await upsertRecords(
    database,
    organization,
    'transactions',
    news.map(({ one, answer, id }): ExtendedTransaction => {
      const isPaid = answer === 'paid';
      return buildTransactionMessage({
        id: `ch_${id}_${round}`,
        invoiceId: `in_${id}`,
        customerId: `cus_${one.customer}`,
        cardCountry: one.country,
        cardFingerprint: `print_${one.customer}`,
        amount: one.amount,
        createdAt: at,
        updatedAt: at,
        state: isPaid ? 'TRANSACTION_STATE_PAID' : 'TRANSACTION_STATE_FAILED',
        paymentGatewayErrorCode: isPaid || answer === 'canceled' ? 'do_not_honor' : answer,
      });
    }),
  );
}

/** Every round is told and decided; what was asked counts as sent. Returns all that is left of it, without chance ids. */
async function live(organization: string, stories: readonly Story[], askWith: (decide: Decide) => Ask) {
  const { clock, asked, decide } = startDecider();
  const ask = askWith(decide);
  for (const round of [0, 1, 2]) {
    await tell(organization, stories, round, clock.now());
    await ask(stories.map((_, index) => ({ organization, invoiceId: `in_${index + 1}` })));
    await database.query(
      `update retry_service.recovery_actions set status = 'SENT' where organization = $1 and status = 'PENDING'`,
      [organization],
    );
    await clock.set(clock.now().plus({ days: 3 }));
  }
  const read = (table: string, without: string, order: string) =>
    database.query<{ row: object }>(
      `select to_jsonb(t) - 'organization' ${without} as row from retry_service.${table} t
       where organization = $1 order by ${order}`,
      [organization],
    );
  return {
    asked: asked.sort(),
    actions: await read('recovery_actions', `- 'id' - 'request_id' - 'position'`, 'position'),
    cases: await read('cases', '', 'invoice_id'),
    answers: await read('transactions', '', 'id'),
  };
}
type Decide = ReturnType<typeof startDecider>['decide'];

const oneByOne =
  (decide: Decide): Ask =>
  async (requests) => {
    for (const request of requests) await decide(request);
  };
const together =
  (decide: Decide): Ask =>
  async (requests) => {
    await Promise.all(requests.map(decide));
  };

inFull('cases decided together come to what they come to one after another', async () => {
  let run = 0;
  let actions = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(story, { minLength: 2, maxLength: 12 }), async (stories) => {
      run += 1;
      const single = await live(`single ${run}`, stories, oneByOne);
      expect(await live(`together ${run}`, stories, together)).toEqual(single);
      actions += single.actions.length;
    }),
    { numRuns: 12 },
  );
  expect(actions).toBeGreaterThan(50);
});

test('other work gets its turn while a group is decided', async () => {
  const organization = 'with others';
  const stories = Array.from({ length: 100 }, (_, customer): Story => {
    return { customer, country: 'US', amount: 2000, answers: ['insufficient_funds'] };
  });
  const { clock, decide } = startDecider();
  await tell(organization, stories, 0, clock.now());
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await together(decide)(stories.map((_, index) => ({ organization, invoiceId: `in_${index + 1}` })));
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(stories.length / 10);
});

describe('a case that cannot be decided', () => {
  const stories = Array.from({ length: 9 }, (_, index): Story => {
    return { customer: index, country: 'US', amount: 2000, answers: ['insufficient_funds'] };
  });
  const requests = (organization: string) =>
    stories.map((_, index) => ({ organization, invoiceId: `in_${index + 1}` }));
  const fates = async (decide: Decide, organization: string) => {
    const results = await Promise.allSettled(requests(organization).map(decide));
    return results.map(({ status }) => status);
  };
  const countActions = async (organization: string) => {
    const rows = await database.query(
      `select invoice_id from retry_service.recovery_actions where organization = $1`,
      [organization],
    );
    return rows.length;
  };

  test.each([
    [
      'a message that cannot be read',
      `update retry_service.transactions set message = '{' where invoice_id = 'in_4'`,
    ],
    [
      'a value that the database refuses',
      `update retry_service.transactions set message = replace(message, '"US"', '"\\u0000"') where invoice_id = 'in_4'`,
    ],
  ])(
    'a case that cannot be decided for %s fails alone, and is decided once it can be',
    async (name, corrupt) => {
      const { clock, decide } = startDecider();
      await tell(name, stories, 0, clock.now());
      await database.query(`${corrupt} and organization = $1`, [name]);
      const fulfilled = Array.from({ length: 8 }, () => 'fulfilled');
      expect(await fates(decide, name)).toEqual(fulfilled.toSpliced(3, 0, 'rejected'));
      expect(await countActions(name)).toBe(8);
      const [mended] = await database.query<{ message: string }>(
        `update retry_service.transactions t set message = replace(o.message, 'in_1', 'in_4')
       from retry_service.transactions o where t.organization = $1 and t.invoice_id = 'in_4'
         and o.organization = $1 and o.invoice_id = 'in_1' returning t.message`,
        [name],
      );
      expect(mended?.message).toContain('in_4');
      expect(await fates(decide, name)).toEqual([...fulfilled, 'fulfilled']);
      expect(await countActions(name)).toBe(9);
    },
  );

  test('a case that cannot be decided is tried once, not in parts, while the database is away', async () => {
    const { decide, tried } = startAway();
    expect(await fates(decide, 'away')).toEqual(stories.map(() => 'rejected'));
    expect(tried()).toBe(1);
  });
});

/** A decider whose database is away. */
function startAway() {
  let transactions = 0;
  const away = async () => {
    throw new DatabaseAwayError(new Error('connection refused'));
  };
  const decide = createDecider({
    database: {
      ...database,
      query: away,
      transaction: () => {
        transactions += 1;
        return away();
      },
    },
    clock: createSimulatedClock(START),
    logger: silentLogger,
    enqueue: away,
    defaultTimeZone: 'UTC',
    holdoutPercent: 0,
    attemptLimits: ATTEMPT_LIMITS,
    reminderDays: REMINDER_DAYS,
    measures: createMeasures(),
  });
  return { decide, tried: () => transactions };
}

test('a case that is asked for twice at once gets one instruction', async () => {
  const { clock, asked, decide } = startDecider();
  await tell(
    'twice',
    [{ customer: 1, country: 'US', amount: 2000, answers: ['insufficient_funds'] }],
    0,
    clock.now(),
  );
  const request = { organization: 'twice', invoiceId: 'in_1' };
  await Promise.all([decide(request), decide({ ...request, requestId: 'another' }), decide(request)]);
  expect(asked.map((one) => one.split(' ')[0])).toEqual(['send', 'decide']);
});
