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
  const failures: unknown[] = [];
  let unfinished = 0;
  let asked = 0;
  let steps = 0;

  const mayGoOn = () => failures.length === 0 && steps < sharing.budget && !sharing.shouldStop();
  const handover = createHandover(ranges, mayGoOn);

  async function take(range: Range): Promise<Range | undefined> {
    const isAsked = handover.countIdle() > asked;
    steps += 1;
    if (isAsked) asked += 1;
    try {
      const { rest, given } = await sharing.advance(range, isAsked);
      if (given !== undefined) handover.hand(given);
      return rest;
    } catch (error) {
      failures.push(error);
      return range;
    } finally {
      if (isAsked) asked -= 1;
    }
  }

  async function readOn(): Promise<void> {
    for (let range = await handover.next(); range !== undefined; range = await handover.next()) {
      let rest: Range | undefined = range;
      while (rest !== undefined && mayGoOn()) rest = await take(rest);
      if (rest !== undefined) unfinished += 1;
      handover.finish();
    }
  }

  await Promise.all(Array.from({ length: sharing.readers }, readOn));
  if (failures.length > 0) throw failures[0];
  return { isDone: unfinished === 0 && !handover.hasWaiting(), steps };
}

/** Hands waiting ranges to idle readers. */
function createHandover<Range>(ranges: readonly Range[], mayGoOn: () => boolean) {
  const waiting = [...ranges];
  const idle: ((range: Range | undefined) => void)[] = [];
  let reading = 0;

  // Counted from the handover, so that no reader leaves while there is work to share.
  const give = (reader: (range: Range | undefined) => void, range: Range | undefined) => {
    if (range !== undefined) reading += 1;
    reader(range);
  };

  return {
    countIdle: () => idle.length,
    hasWaiting: () => waiting.length > 0,
    /** Resolves with undefined at the end of the work. */
    next: (): Promise<Range | undefined> =>
      new Promise((resolve) => {
        if (!mayGoOn()) resolve(undefined);
        else if (waiting.length > 0 || reading === 0) give(resolve, waiting.shift());
        else idle.push(resolve);
      }),
    hand: (range: Range): void => {
      const reader = idle.shift();
      if (reader) give(reader, range);
      else waiting.push(range);
    },
    /** Called when a reader ends its range. */
    finish: (): void => {
      reading -= 1;
      // Idle readers wait for a share of a range being read; without one there is nothing to wait for.
      if (reading === 0 || !mayGoOn()) for (const reader of idle.splice(0)) give(reader, undefined);
    },
  };
}
