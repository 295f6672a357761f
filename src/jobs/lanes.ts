import type { JobWithMetadata } from 'pg-boss';

/** A job that was taken and has not ended. */
export interface Held<Data> {
  readonly job: JobWithMetadata<Data>;
  readonly lane: string;
  readonly takenAtMs: number;
}

/** So many of each lane run; the others of the lane wait their turn here. */
export function createLanes<Data>(concurrency: number) {
  const running = new Map<string, number>();
  const waiting = new Map<string, Held<Data>[]>();
  const hasRoom = (lane: string) => (running.get(lane) ?? 0) < concurrency;
  return {
    hasRoom,
    full: () => [...running.keys()].filter((lane) => !hasRoom(lane)),
    /** Whether it may run at once. */
    enter: (item: Held<Data>): boolean => {
      const { lane } = item;
      if (hasRoom(lane)) {
        running.set(lane, (running.get(lane) ?? 0) + 1);
        return true;
      }
      waiting.set(lane, [...(waiting.get(lane) ?? []), item]);
      return false;
    },
    /** The one whose turn it is now. */
    leave: ({ lane }: Held<Data>): Held<Data> | undefined => {
      const [next, ...rest] = waiting.get(lane) ?? [];
      if (rest.length > 0) waiting.set(lane, rest);
      else waiting.delete(lane);
      if (next) return next;
      const left = (running.get(lane) ?? 1) - 1;
      if (left > 0) running.set(lane, left);
      else running.delete(lane);
      return undefined;
    },
  };
}
