/**
 * Paying an invoice as a model, small enough to visit every order in which processes, Stripe, the network and time can go on.
 *
 * | Step here | In the code |
 * |---|---|
 * | `claim` | `claimAction` (`plugin/store/tables/retry/actions.ts`), asked for by `claim` of `plugin/retry/run/execute.ts` |
 * | `read` | `findPayableInvoice`, first in `payInvoice` (`plugin/retry/payment/pay-invoice.ts`) |
 * | `list` | `listAttemptsOfInvoice` and what `payInvoice` decides by it: the guards, `waitForDoubt`, `canRepeat` |
 * | `permit` | the transaction of `callStripe` (`plugin/retry/payment/carry-out-attempt.ts`): `holdsClaim`, `insertAttempt`, `countCall` |
 * | `charge`, `answer`, `lose` | `stripe.payInvoice` under `attemptKey`; Stripe, and the network between |
 * | `look` | `listCharges` in `continueAttempt`; `settleByReading` and `inFlightUntil` (`settle-attempt.ts`) |
 * | `conclude` | `concludeAttempt` (`conclude-attempt.ts`) |
 * | `finish` | `finish` of `execute.ts`: `closeAction`, `postponeAction` |
 * | `crash` | the process dies, and `releaseActionsOf` (`plugin/jobs/process-watch.ts`) frees what it had claimed |
 * | `expire` | `claimed_until` has passed while the process was slow |
 * | `pause`, `resume`, `paid` | a person's switch; the customer pays |
 *
 * What is assumed of time: a call that was permitted has left its process before its claim ends, and reaches Stripe within five
 * minutes or never (`expire`, `age`); Stripe keeps a key for a day. One invoice, one customer, cards without a fingerprint.
 */
import type { Model, Step } from './explore.ts';
import { createProcessSteps } from './payment-process.ts';
import {
  abandon,
  at,
  type Call,
  codeOf,
  type Fault,
  IDLE,
  isHeld,
  isInDoubt,
  keyOf,
  type State,
  stepTo,
} from './payment-state.ts';

export interface Size {
  readonly processes: number;
  readonly actions: number;
  readonly crashes: number;
  /** Answers of Stripe's that do not arrive. */
  readonly losses: number;
  /** How often a person stops an action, switches effects off, or pays. */
  readonly people: number;
}

export function createPaymentModel(size: Size, fault?: Fault): Model<State> {
  const processSteps = createProcessSteps(fault);

  /** By the key that Stripe knows, one call is as good as many. */
  const isKnown = (state: State, { attempt, number }: Call) =>
    state.attempts[attempt]?.age !== 'old' &&
    (state.charges[attempt] ?? 0) > 0 &&
    !(fault === 'each try has a key of its own' && number > 1 && state.attempts[attempt]?.calls === number);

  function* callSteps(state: State, index: number): Iterable<Step<State>> {
    const call = at(state.calls, index);
    const name = `${call.number} of attempt ${call.attempt}`;
    const waiting = state.processes.findIndex((one) => one.at === 'wait' && one.attempt === call.attempt);
    /** With its answer: where that is lost, the call may as well arrive after whoever waited for it. */
    const arrive = (what: string, outcome: 'made' | 'none', work: (draft: State) => void = () => {}) =>
      stepTo(state, `${what} ${name}`, (draft) => {
        work(draft);
        draft.calls.splice(index, 1);
        if (call.isAwaited) Object.assign(at(draft.processes, waiting), { at: 'conclude', outcome });
      });
    if (isKnown(state, call)) yield arrive('repeat the answer to', 'made');
    else if (state.isPaid) yield arrive('refuse', 'none');
    else
      for (const isPaid of [true, false])
        yield arrive(isPaid ? 'pay' : 'decline', 'made', (draft) => {
          draft.charges[call.attempt] = at(draft.charges, call.attempt) + 1;
          draft.isPaid = isPaid;
        });
    if (call.isAwaited && state.left.losses > 0)
      yield stepTo(
        state,
        `lose ${name}`,
        (draft) => {
          draft.left.losses -= 1;
          abandon(draft, call.attempt);
          Object.assign(at(draft.processes, waiting), { at: 'finish', outcome: '' });
        },
        true,
      );
  }

  function* timeSteps(state: State): Iterable<Step<State>> {
    for (const [index, { age, action, outcome }] of state.attempts.entries()) {
      const calls = state.calls.filter(({ attempt }) => attempt === index);
      const isOver = outcome !== 'open' && calls.length === 0;
      const mayPass = age === 'new' || (calls.length === 0 && !isHeld(state, action));
      if (age !== 'old' && !isOver && mayPass && !calls.some(({ isAwaited }) => isAwaited))
        yield stepTo(state, `age attempt ${index}`, (draft) => {
          at(draft.attempts, index).age = age === 'new' ? 'later' : 'old';
          draft.calls = draft.calls.filter(({ attempt }) => attempt !== index);
        });
    }
  }

  function* peopleSteps(state: State): Iterable<Step<State>> {
    const { left, isPaused, isPaid, actions } = state;
    const person = (name: string, work: (draft: State) => void, isFault = true) =>
      stepTo(state, name, work, isFault);
    if (left.people > 0 && !isPaused)
      yield person('pause', (draft) => {
        draft.isPaused = true;
        draft.left.people -= 1;
      });
    if (isPaused)
      yield person(
        'resume',
        (draft) => {
          draft.isPaused = false;
        },
        false,
      );
    if (left.people > 0 && !isPaid)
      yield person('paid', (draft) => {
        draft.isPaid = true;
        draft.left.people -= 1;
      });
    for (const [index, { state: now, isStopped }] of actions.entries())
      if (left.people > 0 && now !== 'ended' && !isStopped)
        yield person(`stop action ${index}`, (draft) => {
          const action = at(draft.actions, index);
          draft.left.people -= 1;
          if (now === 'running' || isInDoubt(state, index)) action.isStopped = true;
          else action.state = 'ended';
        });
  }

  return {
    start: {
      actions: Array.from({ length: size.actions }, () => ({
        state: 'scheduled',
        isStopped: false,
      })),
      attempts: [],
      calls: [],
      processes: Array.from({ length: size.processes }, () => IDLE),
      isPaid: false,
      isPaused: false,
      charges: [],
      left: { crashes: size.crashes, losses: size.losses, people: size.people },
    },
    keyOf,
    *steps(state) {
      const seen = new Set<string>();
      for (const [index, process] of state.processes.entries()) {
        const key = codeOf(process);
        if (!seen.has(key)) yield* processSteps(state, index);
        seen.add(key);
      }
      for (const index of state.calls.keys()) yield* callSteps(state, index);
      yield* timeSteps(state);
      yield* peopleSteps(state);
    },
    violation: (state) => {
      const { actions, attempts, charges, calls } = state;
      // One under a key that was charged changes nothing any more.
      const awaited = calls.filter((call) => call.isAwaited && !isKnown(state, call));
      if (awaited.length > 1) return 'two calls at once';
      for (const action of actions.keys()) {
        const made = charges.filter((_, index) => attempts[index]?.action === action);
        if (made.reduce((sum, count) => sum + count, 0) > 1) return 'two charges';
      }
      const isLost = attempts.some(({ outcome }, index) => outcome === 'none' && (charges[index] ?? 0) > 0);
      return isLost ? 'a charge that nobody wrote down' : undefined;
    },
    isSettled: ({ actions, attempts, calls, processes }) =>
      actions.every(({ state }) => state === 'ended') &&
      attempts.every(({ outcome }) => outcome === 'made' || outcome === 'none') &&
      processes.every(({ at: place }) => place === 'idle') &&
      calls.length === 0,
  };
}
