/**
 * Several processes in one loop. Each call that leads out of one is parked here; the dice say whose goes on, and the next is picked only
 * once that one was answered and nobody has anything left to do. So an order follows from its seed, whatever the machine does meanwhile.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { setTimeout as sleepReally } from 'node:timers/promises';
import type { Dice } from '../chaos/dice.ts';

export interface Call {
  readonly process: string;
  /** Equal in each play of a seed. */
  readonly what: string;
  /** Whether it may wait for a row that another session has made and not committed. */
  readonly mayMeetNewRow?: boolean;
  /** PostgreSQL's number of the session, within a transaction. */
  readonly session?: number | undefined;
}

export interface Actor extends Call {
  run(): Promise<unknown>;
}

export interface Schedule {
  /** Made once it is picked; at once, while nothing is played. */
  pass<Result>(call: Call, make: () => Promise<Result>): Promise<Result>;
  /** The time of a process goes on like its calls: a wait is over whenever it is picked, a long one never while others go on. */
  sleep<Result>(ms: number, result: Result, signal?: AbortSignal): Promise<Result>;
  isPlaying(): boolean;
  /** Until no process has called for a while, though nothing is played: the job queue goes on for a moment after its start. */
  untilIdle(): Promise<void>;
  /** Until all of them have ended. Rejects with the first that failed. */
  play(actors: readonly Actor[]): Promise<void>;
  /** Every call, in the order in which they were picked, and the answers that had to wait for a lock. */
  readonly trace: readonly string[];
  hash(): string;
}

interface Parked extends Call {
  /** Resolves, once it is answered, to what hands the answer over. */
  begin(): Promise<() => void>;
}

interface Begun {
  readonly text: string;
  hand?: () => void;
}

/** A process may be slow for so long between any two calls. */
const MOST_SLOW_MS = 1_000;
/** More calls than this in one play are a loop without end. */
const MOST_CALLS = 20_000;
/** Turns of the event loop in which nothing is parked: whoever was answered has come to its next call, or to its end. */
const QUIET_TURNS = 60;
/** Real time, as the queue's own. */
const IDLE_MS = 100;

export function createSchedule(dice: Dice, listBlockers: () => Promise<number[][]>): Schedule {
  const trace: string[] = [];
  const begun: Begun[] = [];
  let parked: Parked[] = [];
  let blockers: ReadonlySet<number> = new Set();
  let isPlaying = false;
  const acting = new AsyncLocalStorage<string>();
  let stirred = 0;
  let unplayed = 0;
  let last = '';
  /** How often whoever went on goes on: few changes find other faults than many. */
  let stay = 0;

  const pass: Schedule['pass'] = (call, make) => {
    if (!isPlaying) {
      stirred += 1;
      unplayed += 1;
      return make().finally(() => {
        unplayed -= 1;
      });
    }
    return new Promise((resolve, reject) => {
      stirred += 1;
      parked.push({
        ...call,
        begin: () =>
          make().then(
            (result) => () => resolve(result),
            (error: unknown) => () => reject(error),
          ),
      });
    });
  };

  const sleep: Schedule['sleep'] = async (ms, result, signal) => {
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
    aborted.catch(() => {});
    if (ms > MOST_SLOW_MS) return aborted;
    const process = acting.getStore() ?? 'somebody';
    return Promise.race([aborted, pass({ process, what: `waits ${ms} ms` }, async () => result)]);
  };

  async function untilQuiet(): Promise<void> {
    for (let turns = 0, before = stirred; turns < QUIET_TURNS; turns += 1) {
      await nextTurn();
      if (stirred !== before) turns = 0;
      before = stirred;
    }
  }

  /**
   * PostgreSQL wakes all who wait for a row at once, and no seed says which of two is first. So while one waits for any lock, no
   * statement begins that may wait for a new row, except of the session that has the lock, as long as another call can go on.
   */
  function mayBegin(): readonly Parked[] {
    const others = parked.filter(
      ({ mayMeetNewRow, session }) => !mayMeetNewRow || (session !== undefined && blockers.has(session)),
    );
    return begun.length > 0 && others.length > 0 ? others : parked;
  }

  function pick(): Parked {
    const ready = mayBegin();
    const own = ready.filter(({ process }) => process === last);
    const names = [...new Set(ready.map(({ process }) => process))];
    const isStaying = own.length > 0 && dice.chance(stay);
    const process = isStaying ? last : dice.pick(names);
    const picked = dice.pick(ready.filter((one) => one.process === process));
    parked = parked.filter((one) => one !== picked);
    last = process;
    return picked;
  }

  /** Each that was begun is answered, or waits for a lock that another of them has. */
  async function untilAnswered(): Promise<void> {
    const unanswered = () => begun.filter(({ hand }) => hand === undefined).length;
    for (let turns = 0; unanswered() > 0; turns += 1) {
      await nextTurn();
      if (turns % TURNS_A_LOOK !== TURNS_A_LOOK - 1) continue;
      const asked = unanswered();
      const blocked = await listBlockers();
      blockers = new Set(blocked.flat());
      // One that is answered during the look may have given back the lock that another waits for.
      if (blocked.length > 0 && blocked.length === asked && asked === unanswered()) return;
    }
  }

  async function goOn(): Promise<void> {
    const { process, what, begin } = pick();
    const one: Begun = { text: `${process} ${what}` };
    trace.push(one.text);
    begun.push(one);
    void begin().then((hand) => {
      one.hand = hand;
    });
    await untilAnswered();
    for (const answered of begun.filter(({ hand }) => hand !== undefined)) {
      begun.splice(begun.indexOf(answered), 1);
      if (answered !== one) trace.push(`${answered.text} has its lock`);
      answered.hand?.();
      await untilQuiet();
    }
  }

  return {
    pass,
    sleep,
    isPlaying: () => isPlaying,
    untilIdle: async () => {
      for (let before = -1; unplayed > 0 || stirred !== before; ) {
        before = stirred;
        await sleepReally(IDLE_MS);
      }
    },
    trace,
    hash: () => createHash('sha256').update(trace.join('\n')).digest('hex').slice(0, 16),
    play: async (actors) => {
      isPlaying = true;
      stay = dice.pick([0, 0.5, 0.8, 0.95]);
      let left = actors.length;
      const failures: unknown[] = [];
      for (const { run, ...call } of actors)
        void pass(call, async () => {})
          .then(() => acting.run(call.process, run))
          .catch((error: unknown) => failures.push(error))
          .finally(() => {
            left -= 1;
            stirred += 1;
          });
      try {
        await untilQuiet();
        while (left > 0 || parked.length > 0 || begun.length > 0) {
          if (parked.length === 0) throw new Error(`Nobody can go on: ${begun.map(({ text }) => text)}`);
          if (trace.length > MOST_CALLS) throw new Error('This play has no end.');
          await goOn();
        }
      } finally {
        isPlaying = false;
        for (const one of parked) void one.begin().then((hand) => hand());
        parked = [];
      }
      for (const failure of failures) throw failure;
    },
  };
}

/** PostgreSQL is asked who waits only once an answer takes longer than most. */
const TURNS_A_LOOK = 50;

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
