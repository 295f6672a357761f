import type { DateTime } from 'luxon';
import { z } from 'zod';
import type { Queryable, Transaction } from '../../../core/database/database.ts';
import { findAuditLine, findNextOf, isUndone, type StoredAuditEntry } from '../../store/tables/audit.ts';
import { isOfForgotten } from '../../store/tables/forgotten.ts';
import { lockInvoice } from '../../store/tables/invoice-keys.ts';
import { pauseEffects, resumeEffects } from '../../store/tables/retry/pauses.ts';
import { hasChangedSince, parseBefore, restoreInvoice } from '../../store/tables/retry/restore-invoice.ts';
import {
  type Asking,
  defineOperation,
  type OperationDeps,
  plural,
  reasonGiven,
  recordOperation,
  result,
} from './operation.ts';

/** What can be undone, by the kind of its line in the audit. */
const UNDOABLE = {
  'operator.stopped': 'stop',
  'operator.released': 'release',
  'operator.postponed': 'postpone',
  'effects.paused': 'pause',
  'effects.resumed': 'resume',
} as const;
type Undoable = (typeof UNDOABLE)[keyof typeof UNDOABLE];
const NAMES = ['stop', 'release', 'postpone', 'pause', 'resume'] as const satisfies readonly Undoable[];

const undoneOf = ({ kind }: Pick<StoredAuditEntry, 'kind'>) =>
  new Map<string, Undoable>(Object.entries(UNDOABLE)).get(kind);

const undoParameters = z.object({
  line: z
    .union([
      z.int().min(1),
      z
        .string()
        .trim()
        .regex(/^\d{1,15}$/, 'a number')
        .transform(Number),
    ])
    .describe('What is undone: the number that it answered as `undo`.'),
});

/** Whether nothing else has happened to the subject of a line's operation. */
async function isAsLeft(db: Queryable, line: StoredAuditEntry): Promise<boolean> {
  const { id, at, detail, account, invoiceId } = line;
  if (invoiceId === null) return (await findNextOf(db, line)) === undefined;
  const before = parseBefore(detail.before);
  if (!before || (await isOfForgotten(db, account, invoiceId))) return false;
  return !(await hasChangedSince(db, { account, invoiceId }, { id, at, before }));
}

/** Audit lines that can be undone now, and the operation of each. */
export async function listUndoable(
  db: Queryable,
  lines: readonly StoredAuditEntry[],
): Promise<ReadonlyMap<number, Undoable>> {
  const undoable = new Map<number, Undoable>();
  for (const line of lines) {
    const operation = undoneOf(line);
    if (operation && (await isAsLeft(db, line)) && !(await isUndone(db, line.id)))
      undoable.set(line.id, operation);
  }
  return undoable;
}

async function putBack(tx: Transaction, asking: Asking, line: StoredAuditEntry, now: DateTime) {
  const { account, invoiceId, detail } = line;
  if (invoiceId === null) return switchBack(tx, asking, line, now);
  const before = parseBefore(detail.before);
  return before && restoreInvoice(tx, { account, invoiceId }, before, now);
}

async function switchBack(
  tx: Transaction,
  asking: Asking,
  { account, kind, detail }: StoredAuditEntry,
  now: DateTime,
) {
  const { name: by, via } = asking.who;
  const isPause = kind === 'effects.paused';
  // Paused again for what it was paused before.
  const reason = !isPause && typeof detail.pausedFor === 'string' ? detail.pausedFor : reasonGiven(asking);
  const switching = { account, reason, by, via, at: now };
  const done = isPause ? await resumeEffects(tx, switching) : await pauseEffects(tx, switching);
  return done ? [] : undefined;
}

const TOLD: Readonly<Record<Undoable, string>> = {
  stop: 'is collected again, as before',
  release: 'is stopped again as before its release',
  postpone: 'is due again at the times that it had',
  pause: 'Payments and emails continue; overdue work is rechecked, then done.',
  resume: 'Everything is paused again.',
};

export const undo = defineOperation({
  description: 'Undo a stop, release, postponement, pause or resume if nothing has changed since.',
  movesMoney: true,
  parameters: undoParameters,
  result: z.discriminatedUnion('code', [
    /** `reopened`: planned actions that are planned again, the first at `nextAt`. */
    result('changed', 'undone', {
      operation: z.enum(NAMES),
      invoice: z.string().optional(),
      reopened: z.int(),
      nextAt: z.string().optional(),
    }),
    result('unchanged', 'undone_already', { line: z.int() }),
    /** Something changed after it; `by` is the person, where it was one. */
    result('refused', 'changed_since', {
      operation: z.enum(NAMES),
      invoice: z.string().optional(),
      by: z.string().optional(),
      at: z.string().optional(),
    }),
    result('not_found', 'nothing_to_undo', { line: z.int() }),
  ]),
  /** Restores everything in one transaction, or nothing: only while nothing else happened to the operation's subject. */
  run: async ({ database, clock, enqueue }, asking, { line: id }) => {
    const now = clock.now();
    return database.transaction(async (tx) => {
      const line = await findAuditLine(tx, id);
      const operation = line && undoneOf(line);
      if (!operation) return { outcome: 'not_found', code: 'nothing_to_undo', line: id };
      const { account, invoiceId } = line;
      const invoice = invoiceId ?? undefined;
      await lockInvoice(tx, { account, invoiceId: invoice ?? 'effects' });
      if (await isUndone(tx, id)) return { outcome: 'unchanged', code: 'undone_already', line: id };
      const reopened = (await isAsLeft(tx, line)) && (await putBack(tx, asking, line, now));
      if (!reopened) {
        const next = await findNextOf(tx, line);
        const by = typeof next?.detail.by === 'string' ? next.detail.by : undefined;
        const at = next?.at.toISO();
        return { outcome: 'refused', code: 'changed_since', operation, invoice, by, at };
      }
      await enqueue(
        'execute-action',
        reopened.map(({ id: actionId, dueAt }) => ({ data: { actionId, account }, startAfter: dueAt })),
        tx,
      );
      const detail = { line: id, operation };
      await recordOperation(tx, asking, now, {
        account,
        invoiceId: invoice,
        kind: 'operator.undone',
        detail,
      });
      const nextAt = reopened[0]?.dueAt.toISO();
      return { outcome: 'changed', code: 'undone', operation, invoice, reopened: reopened.length, nextAt };
    });
  },
  words: {
    undone: ({ operation, invoice, reopened, nextAt }, say) =>
      invoice === undefined
        ? TOLD[operation]
        : `${say.invoice(invoice)} ${TOLD[operation]}${nextAt === undefined ? '' : ` (${plural(reopened, 'planned action')}, the next at ${say.moment(nextAt)})`}`,
    undone_already: () => 'nothing changed: it is undone already',
    changed_since: ({ invoice, by, at }, say) => {
      const what = invoice === undefined ? 'the pause' : say.invoice(invoice);
      const who = by === undefined ? `${what} has changed since` : `${by} changed ${what} after that`;
      return `nothing was undone: ${who}${at === undefined ? '' : `, at ${say.moment(at)}`}; look at it as it is now`;
    },
    nothing_to_undo: () => 'there is nothing of this number that can be undone',
  },
  history: { 'operator.undone': 'a person undid the step before' },
  form: { about: 'part', title: 'Undo', button: 'Undo' },
});

/** The operation whose role is needed; an unknown line needs any. */
export async function operationToUndo(
  { database }: Pick<OperationDeps, 'database'>,
  given: unknown,
): Promise<Undoable | undefined> {
  const line = undoParameters.safeParse(given).data?.line;
  const known = line === undefined ? undefined : await findAuditLine(database, line);
  return known && undoneOf(known);
}
