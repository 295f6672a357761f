/** Whatever happens between and during the runs, every instruction is applied once and the history is the service's. */
import fc from 'fast-check';
import type { DateTime } from 'luxon';
import type { StubAnswer } from '../../../support/http/http-stub.ts';
import type { ListingBehaviour, ServiceRecord } from '../../../support/http/listing-service.ts';
import {
  createListingBench,
  executedRecord,
  instructionRecord,
  iso,
  type ListingBench,
  START,
} from './listing-fixture.ts';

let bench: ListingBench;
beforeAll(async () => {
  bench = await createListingBench();
});
afterAll(() => bench?.stop());

/** What happens to a request of a run: `killed` ends the process there; `grow` adds a record before the answer. */
type Event = 'answered' | 'killed' | 'killed at a job' | 'grow' | 'expire' | { answer: StubAnswer };

const events: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Event>('answered') },
  { weight: 3, arbitrary: fc.constant<Event>('grow') },
  fc.constantFrom<Event>('killed', 'killed at a job', 'expire', { answer: 'drop' }),
  fc.constantFrom<Event>(
    { answer: { status: 429 } },
    { answer: { status: 429, headers: { 'retry-after': '60' } } },
    { answer: { status: 503 } },
  ),
);

type Step =
  | { kind: 'add'; count: number; family: 'first' | 'other' | 'both'; lateMinutes: number }
  | { kind: 'execute'; pick: number; lateMinutes: number }
  | { kind: 'callback'; pick: number }
  | { kind: 'pass'; minutes: number }
  | { kind: 'run'; events: Event[] };

/** Less than the overlap. */
const lateMinutes = fc.integer({ min: 0, max: 9 });
const pick = fc.nat(1_000);
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    count: fc.integer({ min: 1, max: 5 }),
    family: fc.constantFrom('first' as const, 'other' as const, 'both' as const),
    lateMinutes,
  }),
  fc.record({ kind: fc.constant('execute' as const), pick, lateMinutes }),
  fc.record({ kind: fc.constant('callback' as const), pick }),
  fc.record({ kind: fc.constant('pass' as const), minutes: fc.constantFrom(1, 5, 70, 25 * 60) }),
  fc.record({ kind: fc.constant('run' as const), events: fc.array(events, { maxLength: 6 }) }),
);

const behaviours: fc.Arbitrary<ListingBehaviour> = fc.record({
  isInclusive: fc.boolean(),
  tokens: fc.constantFrom('offset' as const, 'keyset' as const),
  pageLimit: fc.integer({ min: 2, max: 5 }),
  hasCreatedOrder: fc.constant(true),
  tokenMinutes: fc.constantFrom(3, 24 * 60),
  planned: fc.constant('missing' as const),
  executed: fc.constant('contract' as const),
});

class Killed extends Error {}

/** One history of the service, seen from its own clock, which is `skew` minutes from ours. */
function createLife(skew: number) {
  const { service, clock } = bench;
  let count = 0;
  const ago = (minutes: number): DateTime => clock.now().plus({ minutes: skew - minutes });
  const isOpen = (record: ServiceRecord) =>
    record.executedAt === undefined && record.actionSuggestion !== undefined;
  const add = (family: 'first' | 'other' | 'both', late: number) => {
    count += 1;
    const name = String(count).padStart(3, '0');
    const instruction = instructionRecord(`req_${name}`, ago(late), {
      invoiceId: `in_${count % 3}`,
      // Due after the clocks have long passed each other, so that none counts as over from the beginning.
      idealRetryTime: iso(START.plus({ days: 30 })),
    });
    const record = {
      first: () => executedRecord(`act_${name}`, ago(late)),
      other: () => instruction,
      both: () => ({ ...instruction, id: `act_${name}`, status: 'RECOVERY_ACTION_STATUS_PENDING' }),
    }[family]();
    service.records.push(record);
  };
  return {
    add,
    isOpen,
    execute: (pick: number, late: number) => {
      const open = service.records.filter(isOpen);
      const chosen = open[pick % Math.max(open.length, 1)];
      if (!chosen) return;
      const executedAt = iso(ago(late));
      Object.assign(chosen, { executedAt, updatedAt: executedAt });
    },
    callback: async (pick: number) => {
      const known = service.records.filter(({ requestId }) => requestId !== undefined);
      const chosen = known[pick % Math.max(known.length, 1)];
      if (chosen) await bench.callBack(String(chosen.requestId), String(chosen.invoiceId));
    },
  };
}

type Life = ReturnType<typeof createLife>;

async function run(life: Life, planned: readonly Event[]): Promise<void> {
  const left = [...planned];
  let isKilled = false;
  bench.service.intervene = () => {
    const event = left.shift() ?? 'answered';
    if (event === 'grow') life.add('other', 0);
    if (event === 'expire') bench.service.expireTokens();
    if (event === 'killed') isKilled = true;
    if (event === 'killed at a job')
      bench.onJob = () => {
        throw new Killed();
      };
    return typeof event === 'object' ? event.answer : undefined;
  };
  const { service } = bench.deps;
  const deps = {
    ...bench.deps,
    service: {
      listRecoveryActions: async (request: Parameters<typeof service.listRecoveryActions>[0]) => {
        const result = await service.listRecoveryActions(request);
        if (isKilled) throw new Killed();
        return result;
      },
    },
  };
  const before = bench.deps;
  bench.deps = deps;
  await bench.run().catch((error: unknown) => {
    if (!(error instanceof Killed)) throw error;
  });
  bench.deps = before;
  bench.onJob = () => {};
  bench.service.intervene = () => undefined;
}

async function take(life: Life, step: Step): Promise<void> {
  switch (step.kind) {
    case 'add':
      for (let index = 0; index < step.count; index += 1) life.add(step.family, step.lateMinutes);
      return;
    case 'execute':
      return life.execute(step.pick, step.lateMinutes);
    case 'callback':
      return life.callback(step.pick);
    case 'pass':
      return bench.pass({ minutes: step.minutes });
    case 'run':
      return run(life, step.events);
  }
}

async function runUntilWhole(): Promise<void> {
  for (let tries = 0; tries < 5; tries += 1) {
    if ((await bench.run()).incomplete === undefined) return;
    await bench.pass({ minutes: 1 });
  }
  throw new Error('The listing is never read to its end.');
}

test('every instruction is applied exactly once, and the history equals the service’s', async () => {
  await fc.assert(
    fc.asyncProperty(
      behaviours,
      fc.constantFrom(-120, -1, 0, 120),
      fc.array(steps, { minLength: 3, maxLength: 9 }),
      async (behaviour, skew, taken) => {
        await bench.reset();
        bench.service.behaviour = behaviour;
        const life = createLife(skew);
        for (const step of taken) await take(life, step);
        // Once for what was cut off, and once, past the difference of the clocks, for what came meanwhile.
        await runUntilWhole();
        await bench.pass({ hours: 3 });
        await runUntilWhole();

        const ofService = bench.service.records.map((record) => JSON.stringify(record)).sort();
        expect((await bench.history()).map(({ body }) => body).sort()).toEqual(ofService);
        const stored = (await bench.instructions()).map(({ id }) => id);
        const wanted = bench.service.records.filter(life.isOpen).map(({ requestId }) => requestId);
        expect(stored).toEqual(expect.arrayContaining(wanted));
        expect([...bench.jobs].sort()).toEqual([...stored].sort());
        expect(new Set(stored).size).toBe(stored.length);
      },
    ),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 20) },
  );
});
