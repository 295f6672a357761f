/** Reading the service's listing page by page, and applying what no callback brought. */

import { UpstreamError } from '../../../../src/core/base/errors.ts';
import { beginAccount } from '../../../../src/plugin/app/admit-account.ts';
import { describeReason } from '../../../../src/plugin/operator/text/describe-reason.ts';
import { createActionsSync } from '../../../../src/plugin/retry/instructions/poll.ts';
import { OWN_ACCOUNT } from '../../../../src/plugin/settings/account.ts';
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
afterEach(() => bench.reset());

const ids = async () => (await bench.history()).map(({ id }) => id);
const list = (...records: Parameters<typeof bench.service.records.push>) =>
  bench.service.records.push(...records);

/** So many executed ones, a minute apart, the last just before now. */
function listExecuted(count: number): void {
  for (let ago = count; ago > 0; ago -= 1)
    list(executedRecord(`act_${ago}`, bench.clock.now().minus({ minutes: ago })));
}

describe('the requests', () => {
  it('requests for the listing are the contract’s: executedBefore first, executedAfter later, ascending, then the token alone', async () => {
    bench.service.behaviour.pageLimit = 2;
    listExecuted(3);
    await bench.run();
    await bench.pass({ minutes: 5 });
    await bench.run();
    const queries = bench.service.queries;
    expect(queries[0]).toEqual({
      orderBy: 'executed_at',
      orderDirection: 'asc',
      pageSize: '100',
      executedBefore: iso(START),
    });
    expect(queries[1]).toEqual({ pageToken: expect.any(String) });
    expect(queries[2]).toEqual({ orderBy: 'created_at', orderDirection: 'desc', pageSize: '100' });
    const later = queries.filter(({ executedAfter }) => executedAfter !== undefined);
    expect(later).toEqual([
      {
        orderBy: 'executed_at',
        orderDirection: 'asc',
        pageSize: '100',
        executedAfter: iso(START.minus({ minutes: 11 })),
      },
    ]);
  });

  it('requests for the listing stay bounded by executedBefore until something was listed', async () => {
    await bench.run();
    await bench.pass({ minutes: 5 });
    await bench.run();
    const first = bench.service.queries.filter(({ orderBy }) => orderBy === 'executed_at');
    expect(first.map(({ executedBefore }) => executedBefore)).toEqual([
      iso(START),
      iso(START.plus({ minutes: 5 })),
    ]);
  });

  it('requests for the listing begin at what the service last reported, though its clock is behind by hours', async () => {
    list(executedRecord('act_1', START.minus({ hours: 5 })));
    await bench.run();
    await bench.pass({ minutes: 5 });
    list(executedRecord('act_2', START.minus({ hours: 5, minutes: -5 })));
    await bench.run();
    expect(await ids()).toEqual(['act_1', 'act_2']);
  });

  it('requests for the listing never begin in the future, whatever a record or a clock says', async () => {
    list(
      executedRecord('act_1', START.plus({ years: 50 })),
      executedRecord('act_0', START.minus({ days: 1 })),
    );
    await bench.run();
    list(instructionRecord('req_1', START.plus({ years: 50 })));
    await bench.run();
    await bench.clock.set(START.minus({ days: 3 }));
    list(
      executedRecord('act_2', START.minus({ days: 2 })),
      instructionRecord('req_2', START.minus({ days: 3 })),
    );
    await bench.run();
    await bench.pass({ days: 4 });
    await bench.run();
    expect(await ids()).toEqual(expect.arrayContaining(['act_0', 'act_2', 'req_1', 'req_2']));
  });
});

describe('a run that is cut off', () => {
  const failAfter = (
    pages: number,
    answer: { status: number; headers?: Record<string, string> } | 'drop',
  ) => {
    bench.service.behaviour.pageLimit = 2;
    bench.service.intervene = () => (bench.service.queries.length > pages ? answer : undefined);
  };

  /** What it asks for once nothing stops it. */
  const goOn = async () => {
    bench.service.intervene = () => undefined;
    const asked = bench.service.queries.length;
    expect(await bench.run()).toMatchObject({ incomplete: undefined });
    return bench.service.queries.slice(asked);
  };

  it.each([
    ['throttled', { status: 429 }],
    ['answered 503', { status: 503 }],
    ['dropped', 'drop' as const],
    ['redirected', { status: 302, headers: { location: '/elsewhere' } }],
    ['given something else', { status: 200 }],
  ])(
    'a poll that is cut off because it is %s says so, and goes on from the stored token',
    async (_how, answer) => {
      listExecuted(5);
      failAfter(1, answer);
      expect((await bench.run()).incomplete).toMatchObject({ code: expect.any(String) });
      expect(await ids()).toHaveLength(2);
      expect((await goOn())[0]).toEqual({ pageToken: expect.any(String) });
      expect(await ids()).toHaveLength(5);
    },
  );

  it('a poll that is cut off fails its job, so that it is tried again', async () => {
    failAfter(0, { status: 401 });
    const { handle } = createActionsSync({
      ...bench.deps,
      serviceOf: () => bench.deps.service,
      accessOf: async () => undefined,
    });
    await expect(handle({ account: OWN_ACCOUNT })).rejects.toThrow(UpstreamError);
    await expect(handle({ account: OWN_ACCOUNT })).rejects.toThrow(
      /not read to its end \(failed: answered 401/,
    );
    bench.service.intervene = () => undefined;
    await handle({ account: OWN_ACCOUNT });
  });

  it('a poll that is cut off begins again from the stored bounds when the token has expired, and repeats no effect', async () => {
    listExecuted(5);
    list(instructionRecord('req_1', START));
    failAfter(2, { status: 503 });
    await bench.run();
    bench.service.expireTokens();
    expect((await goOn()).slice(0, 2)).toEqual([
      { pageToken: expect.any(String) },
      expect.objectContaining({ executedBefore: iso(START) }),
    ]);
    expect(await ids()).toHaveLength(6);
    expect(bench.jobs).toEqual(['req_1']);
  });

  it('a poll that is cut off does not go on from a token that is an hour old', async () => {
    listExecuted(5);
    failAfter(1, { status: 503 });
    await bench.run();
    await bench.pass({ minutes: 61 });
    expect((await goOn())[0]).toMatchObject({ executedBefore: iso(START) });
    expect(await ids()).toHaveLength(5);
  });

  it('a poll that is cut off ends if the service takes none of its own tokens', async () => {
    listExecuted(5);
    bench.service.behaviour.pageLimit = 2;
    bench.service.intervene = ({ pageToken }) => (pageToken === undefined ? undefined : { status: 400 });
    expect((await bench.run()).incomplete).toMatchObject({ code: 'listing_refused_token' });
    expect(bench.service.queries.length).toBeLessThan(10);
  });

  it('a poll that is cut off ends if the service gives one page for ever', async () => {
    const page = { recoveryActions: [executedRecord('act_1', START)], nextPageToken: 'again', totalSize: 1 };
    bench.service.intervene = () => ({ status: 200, body: page });
    expect((await bench.run()).incomplete).toEqual({ code: 'listing_repeats_page' });
    expect(bench.service.queries.length).toBeLessThan(10);
  });

  it('a poll that is cut off asks nothing before the time that the service named is over', async () => {
    failAfter(0, { status: 429, headers: { 'retry-after': '120' } });
    await bench.run();
    bench.service.intervene = () => undefined;
    await bench.pass({ seconds: 119 });
    const { incomplete } = await bench.run();
    expect(incomplete).toMatchObject({ code: 'listing_waits' });
    expect(incomplete && describeReason(incomplete)).toMatch(
      /^the service asked to wait until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
    );
    expect(bench.service.queries).toHaveLength(1);
    await bench.pass({ seconds: 1 });
    expect(await bench.run()).toMatchObject({ incomplete: undefined });
  });
});

describe('an instruction', () => {
  it('an instruction that no callback brought is applied once; a callback that comes later changes nothing', async () => {
    list(instructionRecord('req_1', START), instructionRecord('req_2', START));
    await bench.callBack('req_2', 'in_req_2');
    expect(await bench.run()).toEqual({
      listed: 2,
      fresh: 2,
      applied: 1,
      known: 1,
      unreadable: 0,
      incomplete: undefined,
    });
    expect(await bench.run()).toMatchObject({ fresh: 0, applied: 0, known: 0 });
    expect(await bench.callBack('req_1', 'in_req_1')).toBe(false);
    expect([...bench.jobs].sort()).toEqual(['req_1', 'req_2']);
    expect((await bench.instructions()).find(({ id }) => id === 'req_1')).toMatchObject({
      source: 'listing',
    });
  });

  it('an instruction of the first family goes by its request id, else by its id, and is known under either', async () => {
    const open = { status: 'RECOVERY_ACTION_STATUS_PENDING', executedAt: undefined };
    const asked = { ...instructionRecord('req_1', START), ...open };
    list(
      { ...asked, id: 'act_1' },
      { ...asked, id: 'act_2', requestId: undefined },
      { ...asked, id: 'act_3', requestId: 'req_3' },
    );
    await bench.callBack('act_3', 'in_req_1');
    expect(await bench.run()).toMatchObject({ applied: 2, known: 1 });
    expect((await bench.instructions()).map(({ id }) => id).sort()).toEqual(['act_2', 'act_3', 'req_1']);
  });

  it('an instruction that is over, that was executed, or that lacks a part is history', async () => {
    const states = ['SUCCEEDED', 'FAILED', 'CANCELED', 'CANCELLED', 'EXPIRED'];
    for (const state of states)
      list(instructionRecord(state, START, { status: `RECOVERY_ACTION_STATUS_${state}` }));
    list(instructionRecord('executed', START, { executedAt: iso(START) }));
    for (const part of ['invoiceId', 'actionSuggestion', 'idealRetryTime'])
      list(instructionRecord(`no_${part}`, START, { [part]: undefined }));
    list(instructionRecord('open', START, { status: 'RECOVERY_ACTION_STATUS_BRAND_NEW' }));
    expect(await bench.run()).toMatchObject({ fresh: 10, applied: 1, unreadable: 0 });
    expect(bench.jobs).toEqual(['open']);
  });

  it('an instruction whose time was over before the listing was ever read is history, but not one that comes later', async () => {
    const before = START.minus({ days: 30 });
    list(instructionRecord('old', before));
    list(instructionRecord('old_but_due', before, { idealRetryTime: iso(START.plus({ days: 1 })) }));
    await bench.run();
    expect(bench.jobs).toEqual(['old_but_due']);
    await bench.pass({ minutes: 5 });
    list(
      instructionRecord('late', START.plus({ minutes: 1 }), {
        idealRetryTime: iso(START.minus({ days: 1 })),
      }),
    );
    await bench.run();
    expect(bench.jobs).toEqual(['old_but_due', 'late']);
  });

  it('an instruction that fell due after the account was taken up is applied though the listing was not read in between', async () => {
    await beginAccount(bench.store.database, OWN_ACCOUNT, START);
    await bench.pass({ days: 2 });
    list(
      instructionRecord('old', START.minus({ days: 9 }), { idealRetryTime: iso(START.minus({ days: 8 })) }),
    );
    list(
      instructionRecord('ours', START.plus({ hours: 1 }), { idealRetryTime: iso(START.plus({ hours: 2 })) }),
    );
    await bench.run();
    expect(bench.jobs).toEqual(['ours']);
  });

  it('a new instruction is looked for among those created last, without reading the whole history each time', async () => {
    bench.service.behaviour.pageLimit = 10;
    for (let index = 0; index < 25; index += 1)
      list(instructionRecord(`req_${index}`, START.minus({ minutes: index * 10 })));
    await bench.run();
    expect(bench.jobs).toHaveLength(25);
    await bench.pass({ minutes: 1 });
    list(instructionRecord('req_new', bench.clock.now()));
    const asked = bench.service.queries.length;
    await bench.run();
    expect(bench.jobs.at(-1)).toBe('req_new');
    expect(
      bench.service.queries.slice(asked).filter(({ orderBy }) => orderBy !== 'executed_at'),
    ).toHaveLength(1);
  });

  it.each([
    ['refuses', false],
    ['does not heed', 'unheeded'],
  ] as const)(
    'an instruction is found by the contract’s pass alone where the service %s the other order, which is told once',
    async (_how, hasCreatedOrder) => {
      bench.service.behaviour.hasCreatedOrder = hasCreatedOrder;
      for (const hours of [3, 2, 1]) list(executedRecord(`act_${hours}`, START.minus({ hours })));
      for (let run = 0; run < 3; run += 1) {
        expect((await bench.run()).incomplete).toBeUndefined();
        await bench.pass({ hours: 13 });
      }
      expect(await ids()).toEqual(['act_1', 'act_2', 'act_3']);
      const told = bench.logLines.filter((line) => line.includes('does not list what was created last'));
      expect(told).toHaveLength(1);
      expect(bench.service.queries.filter(({ orderBy }) => orderBy === 'created_at')).toHaveLength(2);
    },
  );
});

describe('a service with two listings', () => {
  const planned = (id: string) => {
    bench.service.planned.push(instructionRecord(id, bench.clock.now()));
  };
  const runs = async (count: number) => {
    for (let run = 0; run < count; run += 1) {
      expect((await bench.run()).incomplete).toBeUndefined();
      await bench.pass({ minutes: 5 });
    }
  };

  it.each(['spelled', 'unordered'] as const)(
    'what is planned is read from its own (%s), tried in each way once and then asked for as it is taken',
    async (how) => {
      bench.service.behaviour.planned = how;
      listExecuted(3);
      planned('req_1');
      await runs(3);
      expect(bench.jobs).toEqual(['req_1']);
      const order = {
        orderBy: 'RECOVERY_ACTION_ORDER_BY_CREATED_AT',
        orderDirection: 'RECOVERY_ACTION_ORDER_DIRECTION_DESC',
      };
      const [spelled, plain] = [{ ...order, pageSize: '100' }, { pageSize: '100' }];
      const asked = how === 'spelled' ? [spelled, spelled, spelled] : [spelled, plain, plain, plain];
      expect(bench.service.plannedQueries).toEqual(asked);
      expect(bench.service.queries.filter(({ orderBy }) => orderBy === 'created_at')).toHaveLength(1);
      planned('req_2');
      await runs(1);
      expect(bench.jobs).toEqual(['req_1', 'req_2']);
    },
  );

  it('without a callback what is planned is looked for first, also before anything was executed', async () => {
    bench.service.behaviour.planned = 'spelled';
    bench.deps = { ...bench.deps, isPolled: true };
    planned('req_1');
    await runs(2);
    expect(bench.jobs).toEqual(['req_1']);
    expect(bench.service.queries.every(({ orderBy }) => orderBy === 'executed_at')).toBe(true);
  });

  it('the executed one may be missing: it is asked for once an hour, and is no setback', async () => {
    Object.assign(bench.service.behaviour, { planned: 'spelled', executed: 'missing' });
    planned('req_1');
    await runs(12);
    expect(bench.jobs).toEqual(['req_1']);
    const byExecution = bench.service.queries.filter(({ orderBy }) => orderBy === 'executed_at');
    expect(byExecution).toHaveLength(1);
    const told = bench.logLines.filter((line) => line.includes('does not list what was executed'));
    expect(told).toHaveLength(1);
  });

  it('an order that is refused is spelled otherwise once, and that is remembered', async () => {
    bench.service.behaviour.executed = 'spelled';
    listExecuted(3);
    await runs(3);
    expect(await ids()).toHaveLength(3);
    const orders = bench.service.queries.map(({ orderBy }) => orderBy).filter((by) => by !== 'created_at');
    expect(orders).toEqual(['executed_at', ...Array(3).fill('RECOVERY_ACTION_ORDER_BY_EXECUTED_AT')]);
  });
});

describe('a record that is not understood', () => {
  it('a record of an unknown form is stored unchanged and logged, and delays no other', async () => {
    const odd = [
      { requestId: 'req_odd', createdAt: iso(START), invoiceId: 'in_1', idealRetryTime: 'soon' },
      { createdAt: iso(START), note: 'neither id' },
      { id: '\u0000', createdAt: iso(START) },
      { id: 'act_\ud800', status: 'a\u0000b', createdAt: '2026-W10-1T09:00' },
    ];
    list(...odd, instructionRecord('req_1', START));
    expect(await bench.run()).toMatchObject({ fresh: 5, unreadable: 4, applied: 1, incomplete: undefined });
    await bench.run();
    const history = await bench.history();
    expect(history).toHaveLength(5);
    for (const record of odd) expect(history.map(({ body }) => body)).toContain(JSON.stringify(record));
    expect(history.find(({ id }) => id === 'req_odd')).toMatchObject({
      fate: 'unreadable',
      problem: expect.stringContaining('idealRetryTime: '),
    });
    expect(bench.logLines.filter((line) => line.includes('is not understood'))).toHaveLength(4);
  });

  it('a record that is not understood is kept, whatever its shape', async () => {
    const page = { recoveryActions: [null, 7, 'text', [], {}, { id: {} }], nextPageToken: null };
    bench.service.intervene = () => ({ status: 200, body: page });
    expect(await bench.run()).toMatchObject({ fresh: 6, unreadable: 6, incomplete: undefined });
  });
});

describe('the history', () => {
  it('the history of instructions follows a record’s changes, and never goes back to an older version', async () => {
    list(instructionRecord('req_1', START, { updatedAt: iso(START), status: 'RECOVERY_ACTION_STATUS_SENT' }));
    await bench.run();
    const newer = executedRecord('x', START, {
      id: undefined,
      requestId: 'req_1',
      updatedAt: iso(START.plus({ hours: 1 })),
    });
    bench.service.records.splice(0, 1, newer);
    await bench.run();
    expect(await bench.history()).toMatchObject([
      { id: 'req_1', body: JSON.stringify(newer), fate: 'applied' },
    ]);
    const older = { ...newer, updatedAt: iso(START), status: 'RECOVERY_ACTION_STATUS_SENT' };
    bench.service.records.splice(0, 1, older);
    await bench.run();
    expect(await bench.history()).toMatchObject([{ body: JSON.stringify(newer) }]);
  });
});
