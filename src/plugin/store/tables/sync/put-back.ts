/** Gives what was put aside another chance. The running process's sweep, or the next start, does the rest. */
import type { Transaction } from '../../../../core/database/database.ts';
import { replayFailedInstructions } from '../retry/instructions.ts';
import { replayDeadEvents } from './events.ts';
import { dismissRefused, OUTBOX_KINDS, replayRefused } from './outbox.ts';
import { replayAllUnmapped } from './unmapped.ts';

export interface ReplayRequest {
  /** Dead events; without `ids` and `type` all of them. */
  readonly events?: { readonly ids?: readonly string[]; readonly type?: string } | undefined;
  /** Records in quarantine; without `ids` all of them. */
  readonly refused?: { readonly ids?: readonly string[] } | undefined;
  /** Records that no message fits; without `ids` all of them. */
  readonly unmapped?: { readonly ids?: readonly string[] } | undefined;
  /** Instructions that could not be planned; without `ids` all of them. */
  readonly instructions?: { readonly ids?: readonly string[] } | undefined;
}

/** The ids that were put back; undefined where none were asked for. */
export type Replayed = { readonly [What in keyof Required<ReplayRequest>]: readonly string[] | undefined };

/** Puts back what is asked for. */
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

/** Returns the ids of those that were in quarantine. */
export async function dismiss(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const dismissed: string[] = [];
  for (const kind of OUTBOX_KINDS) dismissed.push(...(await dismissRefused(tx, kind, ids)));
  return dismissed;
}
