/** Replays of dead, refused and failed work. The running process's next sweep, or the next start, processes it. */
import type { Transaction } from '../../../../core/database/database.ts';
import { replayFailedInstructions } from '../retry/instructions.ts';
import { replayDeadEvents } from './events.ts';
import { dismissRefused, OUTBOX_KINDS, replayRefused } from './outbox.ts';
import { replayAllUnmapped } from './unmapped.ts';

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
    refused: refused && (await replayRefusedOfAllKinds(tx, refused.ids)),
    unmapped: unmapped && (await replayAllUnmapped(tx, unmapped.ids)),
    instructions: instructions && (await replayFailedInstructions(tx, instructions.ids)),
  };
}

async function replayRefusedOfAllKinds(tx: Transaction, ids: readonly string[] | undefined) {
  const replayed: string[] = [];
  for (const kind of OUTBOX_KINDS) replayed.push(...(await replayRefused(tx, kind, ids)));
  return replayed;
}

/** Returns the ids of dismissed records. */
export async function dismiss(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const dismissed: string[] = [];
  for (const kind of OUTBOX_KINDS) dismissed.push(...(await dismissRefused(tx, kind, ids)));
  return dismissed;
}
