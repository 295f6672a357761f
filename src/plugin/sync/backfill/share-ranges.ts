/** Readers that share time ranges: an idle one takes over part of another's range. */

export interface Step<Range> {
  /** The rest of the range; undefined at its end. */
  rest: Range | undefined;
  /** The part given away, if requested and possible. */
  given: Range | undefined;
}

export interface Sharing<Range> {
  readonly readers: number;
  /** Largest number of steps in total. */
  readonly budget: number;
  readonly shouldStop: () => boolean;
  /** Reads a page of a range, and gives away part of the rest on request. */
  readonly advance: (range: Range, isAskedToShare: boolean) => Promise<Step<Range>>;
}

/**
 * Reads ranges until none is left, the budget is used up or `shouldStop` holds. If a step fails, the other readers finish theirs
 * before the failure is thrown. Returns whether everything was read, and the number of steps.
 */
export async function shareRanges<Range>(
  ranges: readonly Range[],
  sharing: Sharing<Range>,
): Promise<{ isDone: boolean; steps: number }> {
  const waiting = [...ranges];
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let unfinished = 0;
  let asked = 0;
  let steps = 0;

  const mayGoOn = () => failures.length === 0 && steps < sharing.budget && !sharing.shouldStop();

  async function take(range: Range): Promise<Range | undefined> {
    const isAsked = sharing.readers - running.size > asked;
    steps += 1;
    if (isAsked) asked += 1;
    try {
      const { rest, given } = await sharing.advance(range, isAsked);
      if (given !== undefined) waiting.push(given);
      return rest;
    } catch (error) {
      failures.push(error);
      return range;
    } finally {
      if (isAsked) asked -= 1;
      start();
    }
  }

  async function readOn(range: Range): Promise<void> {
    let rest: Range | undefined = range;
    while (rest !== undefined && mayGoOn()) rest = await take(rest);
    if (rest !== undefined) unfinished += 1;
  }

  /** Gives waiting ranges to idle readers. */
  function start(): void {
    if (!mayGoOn()) return;
    for (const range of waiting.splice(0, sharing.readers - running.size)) {
      // Begins once it counts as running.
      const reading: Promise<void> = Promise.resolve(range)
        .then(readOn)
        .then(() => {
          running.delete(reading);
          start();
        });
      running.add(reading);
    }
  }

  start();
  while (running.size > 0) await Promise.race(running);
  if (failures.length > 0) throw failures[0];
  return { isDone: unfinished + waiting.length === 0, steps };
}
