/** What the model of a payment consists of; `payment-model.ts` says what stands for what. */
import type { Step } from './explore.ts';

/** What may be wrong with the code, to see that the search finds it. */
export const FAULTS = {
  'each try has a key of its own': 'two charges',
  'a claim takes what another process has': 'two calls at once',
  'the call goes out before the attempt is written': 'two charges',
  'a call does not ask whether the claim still holds': 'two calls at once',
  'two actions of a customer run at once': 'two calls at once',
  'a call that may be on its way counts as none': 'a charge that nobody wrote down',
  'a key is used after Stripe forgot it': 'two charges',
  'processes go by clocks of their own': 'a charge that nobody wrote down',
  'a call may be on its way for minutes after the first call alone': 'a charge that nobody wrote down',
  'what was read counts although somebody called since': 'a charge that nobody wrote down',
  'a call goes out for an attempt that was concluded': 'a charge that nobody wrote down',
  'an attempt in doubt is left when its action was stopped': 'no end can be reached without a fault',
} as const;
export type Fault = keyof typeof FAULTS;

export interface Attempt {
  readonly action: number;
  outcome: 'unwritten' | 'open' | 'made' | 'none';
  calls: number;
  /** `new`: its latest call began less than five minutes ago. `old`: its key is. */
  age: 'new' | 'later' | 'old';
}

export interface Call {
  readonly attempt: number;
  readonly number: number;
  /** Its process waits for the answer. */
  isAwaited: boolean;
}

export interface Process {
  at: 'idle' | 'read' | 'list' | 'permit' | 'wait' | 'look' | 'conclude' | 'finish';
  action: number;
  hasClaim: boolean;
  /** What was read: that the invoice is paid, and how often the attempt had been called. */
  seesPaid: boolean;
  seesCalls: number;
  isRead: boolean;
  /** -1 for one that is not written yet. */
  attempt: number;
  outcome: '' | 'made' | 'none';
}

interface Action {
  state: 'scheduled' | 'running' | 'ended';
  isStopped: boolean;
}

export interface State {
  actions: Action[];
  attempts: Attempt[];
  calls: Call[];
  processes: Process[];
  isPaid: boolean;
  isPaused: boolean;
  /** How often the card was charged by an attempt's key, or by several of them. */
  charges: number[];
  left: { crashes: number; losses: number; people: number };
}

export const IDLE: Process = {
  at: 'idle',
  action: -1,
  hasClaim: false,
  seesPaid: false,
  seesCalls: 0,
  isRead: false,
  attempt: -1,
  outcome: '',
};

export const isOpen = ({ outcome }: Attempt) => outcome === 'open';

export const isInDoubt = (state: State, action: number) =>
  state.attempts.some((one) => one.action === action && isOpen(one));

export const isHeld = (state: State, action: number) =>
  state.processes.some((one) => one.action === action && one.hasClaim);

export function at<Item>(list: readonly Item[], index: number): Item {
  const item = list[index];
  if (item === undefined) throw new RangeError(`There is no ${index} among ${list.length}.`);
  return item;
}

/** Whoever has claimed it has it no more. */
export function release({ processes }: State, action: number): void {
  for (const process of processes) if (process.action === action) process.hasClaim = false;
}

/** Nobody waits for it any more; it may still arrive. */
export function abandon({ calls }: State, attempt: number): void {
  const call = calls.find((one) => one.attempt === attempt && one.isAwaited);
  if (call) call.isAwaited = false;
}

export function stepTo(
  state: State,
  name: string,
  work: (draft: State) => void,
  isFault = false,
): Step<State> {
  const draft: State = {
    ...state,
    actions: state.actions.map((one) => ({ ...one })),
    attempts: state.attempts.map((one) => ({ ...one })),
    calls: state.calls.map((one) => ({ ...one })),
    processes: state.processes.map((one) => ({ ...one })),
    charges: [...state.charges],
    left: { ...state.left },
  };
  work(draft);
  return { name, to: draft, isFault };
}

export const codeOf = (part: object) => Object.values(part).join();
const codesOf = (parts: readonly object[]) => parts.map(codeOf).join(';');
/** Processes are alike: which of them is where makes no difference. */
const sortedCodesOf = (parts: readonly object[]) => parts.map(codeOf).sort().join(';');

/** Of what is over it makes no difference how it came to that. */
const codeOfAttempt =
  ({ calls }: State) =>
  (attempt: Attempt, index: number) =>
    attempt.outcome === 'open' || calls.some((one) => one.attempt === index)
      ? codeOf(attempt)
      : `${attempt.action},${attempt.outcome}`;

export const keyOf = (state: State) => {
  const { actions, attempts, calls, processes, isPaid, isPaused, charges, left } = state;
  return `${codesOf(actions)}|${attempts.map(codeOfAttempt(state)).join(';')}|${sortedCodesOf(calls)}|${sortedCodesOf(processes)}|${isPaid},${isPaused},${charges}|${codeOf(left)}`;
};
