import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Joins writes that arrive together: while one write runs, the next ones gather and go out as one. Each caller waits
 * until its own item is committed. Waiting a few milliseconds to fill a group gains nothing (facts/storage); but one
 * turn of the event loop is left for what has arrived already, because the embedded database works on this thread.
 */
export function createGroupCommit<Item>(
  write: (items: Item[]) => Promise<void>,
  maxItems = 500,
): (item: Item) => Promise<void> {
  let waiting: { item: Item; resolve: () => void; reject: (reason: unknown) => void }[] = [];
  let isWriting = false;

  async function flush(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      await nextTurn();
      const group = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      try {
        await write(group.map((entry) => entry.item));
        for (const entry of group) entry.resolve();
      } catch (error) {
        for (const entry of group) entry.reject(error);
      }
    }
    isWriting = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWriting) void flush();
    });
}
