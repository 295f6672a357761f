/** Time in the shop: it runs as fast as was chosen, for the sandbox and the plugin together. */
import { InvalidRequestError } from '../../core/base/errors.ts';
import { type Movable, moveTo, settle } from '../testing/move-time.ts';

/** Simulated seconds in each second. */
export const SPEEDS: ReadonlyMap<string, { readonly label: string; readonly factor: number }> = new Map([
  ['pause', { label: 'Pause', factor: 0 }],
  ['1min', { label: '1 min/s', factor: 60 }],
  ['1h', { label: '1 h/s', factor: 3_600 }],
  ['6h', { label: '6 h/s', factor: 6 * 3_600 }],
  ['1day', { label: '1 day/s', factor: 86_400 }],
]);

export type ShopClock = ReturnType<typeof createShopClock>;

export interface ShopTime {
  readonly movable: Movable;
  /** Called when each moment has come to rest. */
  readonly observe: () => Promise<void>;
  /** Reads Stripe's events and the service's actions, as the plugin's own timer follows the real clock. */
  readonly readLists: () => Promise<unknown>;
  /** Number of announcements so far. */
  readonly stories: () => number;
}

/** Longer than any customer is left in peace. */
const FURTHEST = { days: 62 } as const;

export function createShopClock({ movable, observe, stories, readLists }: ShopTime) {
  const { clock } = movable;
  let speed = 'pause';
  let readAt = clock.now();
  let last: Promise<unknown> = Promise.resolve();
  /** One thing after the other; one that failed is its caller's to tell. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  }
  const run = async () => {
    await settle(movable);
    await observe();
  };
  const factor = () => SPEEDS.get(speed)?.factor ?? 0;
  return {
    speed: () => speed,
    setSpeed: (name: string) => {
      if (!SPEEDS.has(name))
        throw new InvalidRequestError(
          `There is no speed "${name}"; there are ${[...SPEEDS.keys()].join(', ')}.`,
        );
      speed = name;
    },
    /** Lets the given number of seconds pass for the viewer. */
    pass: (seconds: number) =>
      inTurn(async () => {
        const end = clock.now().plus({ seconds: seconds * factor() });
        await moveTo(movable, end, { run, isEnough: () => factor() === 0 });
        if (clock.now() < readAt.plus({ hours: 12 })) return;
        readAt = clock.now();
        await readLists();
        await run();
      }),
    /** Advances to the next announced event and stops there. Returns whether there was one. */
    toNextEvent: () =>
      inTurn(async () => {
        speed = 'pause';
        const before = stories();
        const isEnough = () => stories() > before;
        await moveTo(movable, clock.now().plus(FURTHEST), { run, isEnough });
        return isEnough();
      }),
    /** Acts between two moments; due work then runs. */
    inTurn: (act: () => void) =>
      inTurn(async () => {
        act();
        await run();
      }),
  };
}
