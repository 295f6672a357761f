/** Gives what was put aside another chance. The running process's sweep, or the next start, does the rest. */
import type { Database } from './database.ts';
import { replayDeadEvents } from './events.ts';
import { OUTBOX_KINDS, replayRefused } from './outbox.ts';

export interface ReplayRequest {
  /** Dead events; without `ids` and `type` all of them. */
  readonly events?: { readonly ids?: readonly string[]; readonly type?: string } | undefined;
  /** Records in quarantine; without `ids` all of them. */
  readonly refused?: { readonly ids?: readonly string[] } | undefined;
}

export interface Replayed {
  /** The ids that were put back; undefined where none were asked for. */
  readonly events: readonly string[] | undefined;
  readonly refused: readonly string[] | undefined;
}

/** Puts back what is asked for, all of it or nothing. What is not dead or not in quarantine is left alone. */
export async function replay(database: Database, { events, refused }: ReplayRequest): Promise<Replayed> {
  return database.transaction(async (tx) => {
    const keys = events && (await replayDeadEvents(tx, events));
    if (refused === undefined) return { events: keys?.map(({ id }) => id), refused: undefined };
    const ids: string[] = [];
    for (const kind of OUTBOX_KINDS) ids.push(...(await replayRefused(tx, kind, refused.ids)));
    return { events: keys?.map(({ id }) => id), refused: ids };
  });
}
