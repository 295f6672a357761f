import { clearTimeout, setTimeout } from 'node:timers';
import { setImmediate as nextTurn } from 'node:timers/promises';

interface Entry<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export interface GroupLimits {
  /** Largest size of a group. */
  readonly maxItems?: number;
  /** Number of parallel groups if an earlier one is slow. */
  readonly atOnce?: number;
  readonly mayBeHalved?: (error: unknown) => boolean;
}

/** Longer writes count as slow. */
const USUAL_MS = 50;

function endOrHoldUp(writing: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, USUAL_MS).unref();
    void writing.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Joins writes that arrive together: while one runs, the next gather into a group. Each caller waits until its own item is committed. Waiting to
 * fill a group gains nothing (stripe-facts 11.2), except for one turn of the event loop. A failed write fails for its group, or, if
 * `mayBeHalved` allows, is repeated in halves until only the faulty items fail.
 */
export function createGroupCommit<Item>(
  write: (items: Item[]) => Promise<void>,
  { maxItems = 500, atOnce = 1, mayBeHalved = () => false }: GroupLimits = {},
): (item: Item) => Promise<void> {
  let waiting: Entry<Item>[] = [];
  let isFlushing = false;
  const running = new Set<Promise<void>>();

  async function writeGroup(group: readonly Entry<Item>[]): Promise<void> {
    try {
      await write(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (group.length === 1 || !mayBeHalved(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
      const middle = Math.ceil(group.length / 2);
      const first = writeGroup(group.slice(0, middle));
      if (atOnce === 1) await first;
      await Promise.all([first, writeGroup(group.slice(middle))]);
    }
  }

  function begin(group: readonly Entry<Item>[]): Promise<void> {
    const writing = writeGroup(group).finally(() => running.delete(writing));
    running.add(writing);
    return writing;
  }

  async function flush(): Promise<void> {
    isFlushing = true;
    while (waiting.length > 0) {
      await nextTurn();
      const group = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      const writing = begin(group);
      await (running.size < atOnce ? endOrHoldUp(writing) : Promise.race(running));
    }
    isFlushing = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isFlushing) void flush();
    });
}
