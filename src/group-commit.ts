import { setImmediate as nextTurn } from 'node:timers/promises';

interface Entry<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
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
  maxItems = 500,
  mayBeHalved: (error: unknown) => boolean = () => false,
): (item: Item) => Promise<void> {
  let waiting: Entry<Item>[] = [];
  let isWriting = false;

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
      await writeGroup(group.slice(0, middle));
      await writeGroup(group.slice(middle));
    }
  }

  async function flush(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      await nextTurn();
      const group = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      await writeGroup(group);
    }
    isWriting = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWriting) void flush();
    });
}
