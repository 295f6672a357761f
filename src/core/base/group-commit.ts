import { setImmediate as nextTurn } from 'node:timers/promises';

interface Entry<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export interface GroupLimits {
  /** Of a group. */
  readonly maxItems?: number;
  /** Groups that are written at the same time, where the one before is held up. */
  readonly atOnce?: number;
  readonly mayBeHalved?: (error: unknown) => boolean;
}

/** A write that takes longer is held up. */
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
 * Joins writes that arrive together: while one write runs, the next ones gather and go out as one. Each caller waits
 * until its own item is committed. Waiting a few milliseconds to fill a group gains nothing (stripe-facts 11.2); but one
 * turn of the event loop is left for what has arrived already.
 * A write that fails fails for its whole group; or, where `mayBeHalved` says so, it is made again in halves until only
 * the items at fault fail.
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
