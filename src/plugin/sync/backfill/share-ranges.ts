/** Readers that share stretches of time among them: whoever has nothing to read gets part of what another one has. */

export interface Step<Range> {
  /** What is left of the range; undefined when it is read. */
  rest: Range | undefined;
  /** The part that was given away, if one was asked for and could be spared. */
  given: Range | undefined;
}

export interface Sharing<Range> {
  readonly readers: number;
  /** The most steps to take in all. */
  readonly budget: number;
  readonly shouldStop: () => boolean;
  /** Reads one page of a range, and gives part of the rest away if asked to. */
  readonly advance: (range: Range, isAskedToShare: boolean) => Promise<Step<Range>>;
}

/**
 * Reads ranges until none is left, the budget is used up or it is asked to stop; a step that has begun is finished
 * first. When a step fails the other readers finish theirs, and then the failure is thrown. Returns whether everything
 * was read, and the steps taken.
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

/** Gives ranges that wait to readers that are idle. */
function createHandover<Range>(ranges: readonly Range[], mayGoOn: () => boolean) {
  const waiting = [...ranges];
  const idle: ((range: Range | undefined) => void)[] = [];
  let reading = 0;

  // A reader counts as reading from the moment it is given a range, so that none leaves while there is work to share.
  const give = (reader: (range: Range | undefined) => void, range: Range | undefined) => {
    if (range !== undefined) reading += 1;
    reader(range);
  };

  return {
    countIdle: () => idle.length,
    hasWaiting: () => waiting.length > 0,
    /** Undefined when there is nothing more to read. */
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
    /** Of a reader that reads its range no further. */
    finish: (): void => {
      reading -= 1;
      // The others wait for a part of what somebody reads; once nobody does, there will be none.
      if (reading === 0 || !mayGoOn()) for (const reader of idle.splice(0)) give(reader, undefined);
    },
  };
}
