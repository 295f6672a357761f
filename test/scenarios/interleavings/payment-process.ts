/** What one process does, step by step. Between any two steps the others go on. */
import type { Step } from './explore.ts';
import {
  abandon,
  at,
  type Fault,
  IDLE,
  isHeld,
  isInDoubt,
  isOpen,
  type Process,
  release,
  type State,
  stepTo,
} from './payment-state.ts';

/** One of them is a day ahead: to it every claim has ended, every key is forgotten and no call is on its way any more. */
const OWN_CLOCKS: Fault = 'processes go by clocks of their own';
/** Of the real four, for `canRepeat`. */
const MOST_CALLS = 2;
/** With the code as it is, or with something wrong in it. */
export function createProcessSteps(fault: Fault | undefined) {
  const is = (one: Fault) => fault === one;

  function mayClaim(state: State, index: number): boolean {
    const { actions, isPaused } = state;
    const action = at(actions, index);
    if (action.state === 'ended') return false;
    if (isPaused && !isInDoubt(state, index)) return false;
    const isBusy = actions.some(({ state }, other) => other !== index && state === 'running');
    if (isBusy && !is('two actions of a customer run at once')) return false;
    return state.processes.every((one) => {
      if (one.action !== index || !one.hasClaim) return true;
      return one.at !== 'wait' || is('a claim takes what another process has') || is(OWN_CLOCKS);
    });
  }

  /** What `payInvoice` does about what it has read. */
  function decide(state: State, self: Process): void {
    const { isStopped } = at(state.actions, self.action);
    const mine = state.attempts.findIndex((one) => one.action === self.action && isOpen(one));
    if (state.attempts.some((one) => one.action === self.action && one.outcome === 'made')) end(self, 'made');
    else if (mine >= 0) {
      const { calls, age } = at(state.attempts, mine);
      const isForgotten = age === 'old' || is(OWN_CLOCKS);
      const mayRepeat = calls <= MOST_CALLS && (!isForgotten || is('a key is used after Stripe forgot it'));
      const isWanted = !state.isPaused && !self.seesPaid && !isStopped;
      self.attempt = mine;
      self.seesCalls = calls;
      self.at = isWanted && mayRepeat ? 'permit' : 'look';
      if (isStopped && is('an attempt in doubt is left when its action was stopped')) end(self, 'made');
    } else if (isStopped || self.seesPaid) end(self, 'made');
    else if (state.attempts.some(isOpen)) end(self, '');
    else self.at = 'permit';
  }

  function permit(state: State, self: Process): void {
    const isLost = !self.hasClaim && !is('a call does not ask whether the claim still holds');
    if (isLost || at(state.actions, self.action).isStopped || state.isPaused) {
      end(self, '');
      return;
    }
    if (self.attempt < 0) {
      const isWritten = !is('the call goes out before the attempt is written');
      const outcome = isWritten ? 'open' : 'unwritten';
      self.attempt = state.attempts.push({ action: self.action, outcome, calls: 0, age: 'new' }) - 1;
      state.charges.push(0);
    }
    const attempt = at(state.attempts, self.attempt);
    const isConcluded = attempt.outcome === 'made' || attempt.outcome === 'none';
    if (isConcluded && !is('a call goes out for an attempt that was concluded')) {
      end(self, '');
      return;
    }
    attempt.calls += 1;
    if (attempt.age === 'later' && !is('a call may be on its way for minutes after the first call alone'))
      attempt.age = 'new';
    state.calls.push({ attempt: self.attempt, number: attempt.calls, isAwaited: true });
    self.at = 'wait';
  }

  function look(state: State, self: Process): void {
    const isCharged = at(state.charges, self.attempt) > 0 || self.seesPaid;
    const isOnItsWay = at(state.attempts, self.attempt).age === 'new';
    const isUnknown = !isCharged && isOnItsWay;
    if (isUnknown && !is('a call that may be on its way counts as none') && !is(OWN_CLOCKS)) end(self, '');
    else Object.assign(self, { at: 'conclude', outcome: isCharged ? 'made' : 'none', isRead: true });
  }

  /** What Stripe answered is so. What was read counts only if nobody has called or concluded since. */
  function conclude(state: State, self: Process): void {
    const attempt = at(state.attempts, self.attempt);
    const isAsRead = isOpen(attempt) && attempt.calls === self.seesCalls;
    if (self.isRead && !isAsRead && !is('what was read counts although somebody called since')) {
      end(self, '');
      return;
    }
    attempt.outcome = self.outcome === 'made' ? 'made' : 'none';
    const isOver = self.seesPaid || at(state.actions, self.action).isStopped;
    end(self, self.outcome === 'made' || isOver ? 'made' : '');
  }

  function finish(state: State, self: Process): void {
    const action = at(state.actions, self.action);
    const isDoubtful = isInDoubt(state, self.action);
    if (self.outcome === 'made') {
      if (!isDoubtful) {
        action.state = 'ended';
        release(state, self.action);
      }
    } else if (self.hasClaim && action.state === 'running') {
      action.state = action.isStopped && !isDoubtful ? 'ended' : 'scheduled';
    }
    Object.assign(self, IDLE);
  }

  function* processSteps(state: State, index: number): Iterable<Step<State>> {
    const { at: place } = at(state.processes, index);
    const step = (name: string, work: (draft: State, self: Process) => void, isFault = false) =>
      stepTo(state, `${name} ${index}`, (draft) => work(draft, at(draft.processes, index)), isFault);
    if (place === 'idle') {
      for (const one of state.actions.keys())
        if (mayClaim(state, one))
          yield step(
            `claim action ${one} by`,
            (draft, self) => {
              release(draft, one);
              at(draft.actions, one).state = 'running';
              Object.assign(self, { at: 'read', action: one, hasClaim: true });
            },
            isHeld(state, one),
          );
      return;
    }
    if (place === 'read')
      yield step('read', (draft, self) => Object.assign(self, { at: 'list', seesPaid: draft.isPaid }));
    else if (place === 'list') yield step('list', decide);
    else if (place === 'permit') yield step('permit', permit);
    else if (place === 'look') yield step('look', look);
    else if (place === 'conclude') yield step('conclude', conclude);
    else if (place === 'finish') yield step('finish', finish);
    if (state.left.crashes > 0)
      yield step(
        'crash',
        (draft, self) => {
          draft.left.crashes -= 1;
          if (place === 'wait') abandon(draft, self.attempt);
          Object.assign(self, IDLE);
        },
        true,
      );
  }

  return processSteps;
}

/** `made`: the action is done. Otherwise it is put off, which only its claim allows. */
function end(self: Process, outcome: 'made' | ''): void {
  const isOver = outcome === '' && !self.hasClaim;
  Object.assign(self, isOver ? IDLE : { at: 'finish', outcome });
}
