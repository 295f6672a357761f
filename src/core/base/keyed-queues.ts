import PQueue from 'p-queue';

export type QueueLimits = NonNullable<ConstructorParameters<typeof PQueue>[0]>;

/** Number of queues beyond which idle ones are dropped. */
const MANY = 1_000;

/** A queue a key with the same limits, so that keys never wait for each other. */
export function createKeyedQueues(limits: QueueLimits = {}) {
  const queues = new Map<string, PQueue>();
  const isFull = ({ pending, concurrency }: PQueue) => pending >= concurrency;
  return {
    /** `own`: limits of this key, always the same. */
    of: (key: string, own: QueueLimits = limits): PQueue => {
      const known = queues.get(key);
      if (known) return known;
      if (queues.size >= MANY) dropIdle(queues);
      const fresh = new PQueue(own);
      queues.set(key, fresh);
      return fresh;
    },
    /** Whether work under this key would begin immediately. */
    hasRoom: (key: string): boolean => {
      const queue = queues.get(key);
      return queue === undefined || !isFull(queue);
    },
    /** Keys at their concurrency limit. */
    full: (): string[] => [...queues].flatMap(([key, queue]) => (isFull(queue) ? [key] : [])),
  };
}

function dropIdle(queues: Map<string, PQueue>): void {
  for (const [key, queue] of queues) if (queue.size === 0 && queue.pending === 0) queues.delete(key);
}
