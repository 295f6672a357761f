import PQueue from 'p-queue';

export type QueueLimits = NonNullable<ConstructorParameters<typeof PQueue>[0]>;

/** More than this many at hand, and idle ones are let go. */
const MANY = 1_000;

/** For each key a queue with the same limits, so that work under one key never waits for work under another. */
export function createKeyedQueues(limits: QueueLimits = {}) {
  const queues = new Map<string, PQueue>();
  const isFull = ({ pending, concurrency }: PQueue) => pending >= concurrency;
  return {
    /** `own`: where a key has limits of its own, always the same. */
    of: (key: string, own: QueueLimits = limits): PQueue => {
      const known = queues.get(key);
      if (known) return known;
      if (queues.size >= MANY) dropIdle(queues);
      const fresh = new PQueue(own);
      queues.set(key, fresh);
      return fresh;
    },
    /** Whether work under this key would begin at once. */
    hasRoom: (key: string): boolean => {
      const queue = queues.get(key);
      return queue === undefined || !isFull(queue);
    },
    /** The keys under which as much runs as may. */
    full: (): string[] => [...queues].flatMap(([key, queue]) => (isFull(queue) ? [key] : [])),
  };
}

function dropIdle(queues: Map<string, PQueue>): void {
  for (const [key, queue] of queues) if (queue.size === 0 && queue.pending === 0) queues.delete(key);
}
