/** Replays set-aside records – dead events, refused and unmapped records, instructions without a plan – or dismisses them. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import type { Transaction } from '../../../core/database/database.ts';
import { replayFailedInstructions } from '../../store/tables/retry/instructions.ts';
import { ALL_ACCOUNTS } from '../../store/tables/retry/pauses.ts';
import { replayDeadEvents } from '../../store/tables/sync/events.ts';
import { dismissRefused, OUTBOX_KINDS, replayRefused } from '../../store/tables/sync/outbox.ts';
import { MIRRORED_KINDS, replayUnmapped } from '../../store/tables/sync/unmapped.ts';
import { type Asking, defineOperation, idList, plural, recordOperation, result } from './operation.ts';

/** These ids, or all: `true` and `all` stand for all of them. */
const selection = z
  .preprocess(
    (given) => (given === true || given === 'true' || given === 'all' ? 'all' : given),
    z.union([z.literal('all'), idList]),
  )
  .optional();

const ids = z.array(z.string()).readonly();
const putBackIds = z.object({
  events: ids.optional(),
  refused: ids.optional(),
  unmapped: ids.optional(),
  instructions: ids.optional(),
});
type PutBack = z.output<typeof putBackIds>;

/** All of a kind without `ids` and `type`. */
interface Wanted {
  readonly ids?: readonly string[];
  readonly type?: string;
}

/** The running process's next sweep, or the next start, processes it. */
async function putBack(
  tx: Transaction,
  { events, refused, unmapped, instructions }: Readonly<Record<keyof PutBack, Wanted | undefined>>,
): Promise<PutBack> {
  return {
    events: events && (await replayDeadEvents(tx, events)).map(({ id }) => id),
    refused: refused && (await ofEach(OUTBOX_KINDS, (kind) => replayRefused(tx, kind, refused.ids))),
    unmapped: unmapped && (await ofEach(MIRRORED_KINDS, (kind) => replayUnmapped(tx, kind, unmapped.ids))),
    instructions: instructions && (await replayFailedInstructions(tx, instructions.ids)),
  };
}

async function ofEach<Kind>(kinds: readonly Kind[], change: (kind: Kind) => Promise<string[]>) {
  const changed: string[] = [];
  for (const kind of kinds) changed.push(...(await change(kind)));
  return changed;
}

function recordIds(
  tx: Transaction,
  asking: Asking,
  at: DateTime,
  kind: 'operator.replayed' | 'operator.dismissed',
  done: PutBack,
) {
  const line = { account: ALL_ACCOUNTS, kind };
  return recordOperation(tx, asking, at, { ...line, detail: countAndName(done) });
}

const MOST_NAMED = 100;

/** The audit names as many as a person reads. */
function countAndName(done: PutBack): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(done).flatMap(([what, found]) =>
      found ? [[what, { count: found.length, ids: found.slice(0, MOST_NAMED) }]] : [],
    ),
  );
}

function idsOf(given: 'all' | string[] | undefined): { ids?: readonly string[] } {
  return Array.isArray(given) ? { ids: given } : {};
}

function countOf(found: readonly string[] | undefined, what: string, fate: string): string[] {
  return found === undefined ? [] : [`${plural(found.length, what)} put back, ${fate}`];
}

/** Ids that were asked for in vain. */
function leftAlone(ids: readonly string[]): string[] {
  return ids.map((id) => `  ${id}: nothing like that, left alone`);
}

export const replay = defineOperation({
  description: 'Repeat failed work: dead events, refused or unmapped records, instructions.',
  movesMoney: false,
  parameters: z.object({
    events: selection.describe('Dead events: ids, or all.'),
    type: z.string().optional().describe('Only dead events of this type.'),
    refused: selection.describe('Records in quarantine: ids, or all. With ids also dismissed ones.'),
    unmapped: selection.describe('Records that could not be mapped: ids, or all.'),
    instructions: selection.describe('Instructions that could not be planned: ids, or all.'),
  }),
  result: z.discriminatedUnion('code', [
    /** `left`: asked for by id, and nothing like that. */
    result('changed', 'put_back', { putBack: putBackIds, left: ids }),
    result('unchanged', 'nothing_to_put_back', { left: ids }),
    result('refused', 'nothing_asked', {}),
  ]),
  /** All of it or nothing. The running process's sweep, or the next start, does the rest. */
  run: async ({ database, clock, enqueue }, asking, { events, type, refused, unmapped, instructions }) => {
    const request: Parameters<typeof putBack>[1] = {
      events: events || type ? { ...idsOf(events), ...(type ? { type } : {}) } : undefined,
      refused: refused && idsOf(refused),
      unmapped: unmapped && idsOf(unmapped),
      instructions: instructions && idsOf(instructions),
    };
    if (Object.values(request).every((asked) => asked === undefined))
      return { outcome: 'refused', code: 'nothing_asked' };
    return database.transaction(async (tx) => {
      const done = await putBack(tx, request);
      const all = new Set(Object.values(done).flatMap((found) => found ?? []));
      const asked = Object.values(request).flatMap((part) => part?.ids ?? []);
      const left = asked.filter((id) => !all.has(id));
      if (all.size === 0) return { outcome: 'unchanged', code: 'nothing_to_put_back', left };
      await recordIds(tx, asking, clock.now(), 'operator.replayed', done);
      await enqueue('sweep', [{ data: {} }], tx);
      return { outcome: 'changed', code: 'put_back', putBack: done, left };
    });
  },
  words: {
    put_back: ({ putBack, left }) => [
      ...countOf(putBack.events, 'dead event', 'to be processed again'),
      ...countOf(putBack.refused, 'refused record', 'to be delivered again'),
      ...countOf(putBack.unmapped, 'unmapped record', 'to be read again'),
      ...countOf(putBack.instructions, 'failed instruction', 'to be planned again'),
      ...leftAlone(left),
    ],
    nothing_to_put_back: ({ left }) => ['nothing changed: there was nothing to put back', ...leftAlone(left)],
    nothing_asked: () => 'say what to replay: events, records refused or unmapped, or instructions',
  },
  history: { 'operator.replayed': 'records processed again' },
  command: {
    use: 'queue replay',
    values: {
      events: '[ids...]',
      type: '<type>',
      refused: '[ids...]',
      unmapped: '[ids...]',
      instructions: '[ids...]',
    },
    needs: 'database',
    examples: ['queue replay --refused', 'queue replay --events evt_1 evt_2 --reason fixed'],
  },
  form: { about: 'part', title: 'Replay', button: 'Replay' },
});

export const dismiss = defineOperation({
  description: 'Ignore refused records until they change in Stripe.',
  movesMoney: false,
  parameters: z.object({ records: idList.describe('The ids of records in quarantine.') }),
  result: z.discriminatedUnion('code', [
    result('changed', 'dismissed', { dismissed: ids, left: ids }),
    result('unchanged', 'nothing_to_dismiss', { left: ids }),
  ]),
  /** A refused record is not shown as one that needs attention any more. It goes out again when its object next changes. */
  run: async ({ database, clock }, asking, { records }) =>
    database.transaction(async (tx) => {
      const dismissed = await ofEach(OUTBOX_KINDS, (kind) => dismissRefused(tx, kind, records));
      const left = records.filter((id) => !dismissed.includes(id));
      if (dismissed.length === 0) return { outcome: 'unchanged', code: 'nothing_to_dismiss', left };
      await recordIds(tx, asking, clock.now(), 'operator.dismissed', { refused: dismissed });
      return { outcome: 'changed', code: 'dismissed', dismissed, left };
    }),
  words: {
    dismissed: ({ dismissed, left }) => [
      `${plural(dismissed.length, 'refused record')} dismissed until the next change`,
      ...leftAlone(left),
    ],
    nothing_to_dismiss: ({ left }) => ['nothing changed: none of them is in quarantine', ...leftAlone(left)],
  },
  history: { 'operator.dismissed': 'records dismissed' },
  command: {
    use: 'queue dismiss <records...>',
    needs: 'database',
    examples: ['queue dismiss sub_… --reason "a test"'],
  },
  form: { about: 'part', title: 'Dismiss', button: 'Set it aside until it changes' },
});
