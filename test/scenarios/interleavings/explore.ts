/** Visits every state that a model can come to, breadth first, so that the first violation found has the shortest history. */

export interface Model<State> {
  readonly start: State;
  /** States with equal keys count as one. */
  keyOf(state: State): string;
  /** Every step that is possible now, each with its name. */
  steps(state: State): Iterable<Step<State>>;
  /** What must never be: its description, where it is. */
  violation(state: State): string | undefined;
  /** Where everything has come to its end. */
  isSettled(state: State): boolean;
}

export interface Step<State> {
  readonly name: string;
  readonly to: State;
  /** What may happen and need not: an end that takes one to be reached does not count. */
  readonly isFault?: boolean;
}

export interface Explored {
  readonly states: number;
  readonly steps: number;
  /** With the steps that lead there. */
  readonly violation?: { readonly what: string; readonly history: readonly string[] };
}

const STUCK = 'no end can be reached without a fault';

export function explore<State>({ start, keyOf, steps, violation, isSettled }: Model<State>): Explored {
  const numbers = new Map<string, number>([[keyOf(start), 0]]);
  const states: State[] = [start];
  /** Of each state the one that it was first reached from, and by which step. */
  const origins: [number, string][] = [[-1, '']];
  /** Of each state those that lead to it without a fault. */
  const before: number[][] = [[]];
  const settled: number[] = [];
  let count = 0;
  const historyOf = (number: number): string[] => {
    const [from, name] = origins[number] ?? [-1, ''];
    return from < 0 ? [] : [...historyOf(from), name];
  };
  // What is added while it runs is visited, too.
  for (const [number, state] of states.entries()) {
    const what = violation(state);
    if (what !== undefined)
      return { states: states.length, steps: count, violation: { what, history: historyOf(number) } };
    if (isSettled(state)) settled.push(number);
    for (const { name, to, isFault } of steps(state)) {
      count += 1;
      const key = keyOf(to);
      let next = numbers.get(key);
      if (next === undefined) {
        next = states.push(to) - 1;
        numbers.set(key, next);
        origins.push([number, name]);
        before.push([]);
      }
      if (!isFault) before[next]?.push(number);
    }
  }
  const stuck = findStuck(before, settled);
  const explored = { states: states.length, steps: count };
  return stuck === undefined
    ? explored
    : { ...explored, violation: { what: STUCK, history: historyOf(stuck) } };
}

/** The first state from which none that is settled can be reached. */
function findStuck(before: readonly (readonly number[])[], settled: readonly number[]): number | undefined {
  const reaches = new Set(settled);
  for (const number of reaches) for (const from of before[number] ?? []) reaches.add(from);
  const first = before.findIndex((_, number) => !reaches.has(number));
  return first < 0 ? undefined : first;
}
