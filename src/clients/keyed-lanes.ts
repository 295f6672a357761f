import PQueue from 'p-queue';

/** More than this many at hand, and idle ones are let go. */
const MANY = 1_000;

/** For each key a queue with the same limits, so that work under one key never waits for work under another. */
export function createKeyedLanes(
  limits: NonNullable<ConstructorParameters<typeof PQueue>[0]>,
): (key: string) => PQueue {
  const lanes = new Map<string, PQueue>();
  return (key) => {
    const known = lanes.get(key);
    if (known) return known;
    if (lanes.size >= MANY) dropIdle(lanes);
    const fresh = new PQueue(limits);
    lanes.set(key, fresh);
    return fresh;
  };
}

function dropIdle(lanes: Map<string, PQueue>): void {
  for (const [key, lane] of lanes) if (lane.size === 0 && lane.pending === 0) lanes.delete(key);
}
