/** Replays of dead, refused and failed work. The running process's next sweep, or the next start, processes it. */
import type { Transaction } from '../../../../core/database/database.ts';
import { replayFailedInstructions } from '../retry/instructions.ts';
import { replayDeadEvents } from './events.ts';
import { dismissRefused, OUTBOX_KINDS, replayRefused } from './outbox.ts';
import { MIRRORED_KINDS, replayUnmapped } from './unmapped.ts';

export interface ReplayRequest {
  /** Dead events; all without `ids` and `type`. */
  readonly events?: { readonly ids?: readonly string[]; readonly type?: string } | undefined;
  /** Records in quarantine; all without `ids`. */
  readonly refused?: { readonly ids?: readonly string[] } | undefined;
  /** Records that fit no message; all without `ids`. */
  readonly unmapped?: { readonly ids?: readonly string[] } | undefined;
  /** Failed instructions; all without `ids`. */
  readonly instructions?: { readonly ids?: readonly string[] } | undefined;
}

/** Ids by kind; undefined if not requested. */
export type Replayed = { readonly [What in keyof Required<ReplayRequest>]: readonly string[] | undefined };

export async function replay(tx: Transaction, request: ReplayRequest): Promise<Replayed> {
  const { events, refused, unmapped, instructions } = request;
  return {
    events: events && (await replayDeadEvents(tx, events)).map(({ id }) => id),
    refused: refused && (await ofEach(OUTBOX_KINDS, (kind) => replayRefused(tx, kind, refused.ids))),
    unmapped: unmapped && (await ofEach(MIRRORED_KINDS, (kind) => replayUnmapped(tx, kind, unmapped.ids))),
    instructions: instructions && (await replayFailedInstructions(tx, instructions.ids)),
  };
}

/** Returns the ids of dismissed records. */
export function dismiss(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  return ofEach(OUTBOX_KINDS, (kind) => dismissRefused(tx, kind, ids));
}

async function ofEach<Kind>(kinds: readonly Kind[], change: (kind: Kind) => Promise<string[]>) {
  const changed: string[] = [];
  for (const kind of kinds) changed.push(...(await change(kind)));
  return changed;
}
