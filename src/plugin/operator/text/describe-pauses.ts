import { ALL_ACCOUNTS, type Pause, type PausedWork } from '../../store/tables/retry/pauses.ts';
import { exactMoment } from './exact-moment.ts';

/** Lines for the top of every page and command. Empty while nothing is paused. */
export function describePauses(pauses: readonly Pause[]): string[] {
  return pauses.map((pause) => `PAUSED: ${describePause(pause)}`);
}

export function describePause({ account, reason, pausedBy, pausedAt }: Pause): string {
  const where = account === ALL_ACCOUNTS ? 'for all accounts' : `for account ${account}`;
  return `nothing is paid, emailed or changed at Stripe ${where} since ${exactMoment(pausedAt)} (${pausedBy}: ${reason})`;
}

export function describePausedWork(work: PausedWork): string {
  return `${describePause(work)}; ${work.waiting} due action(s) wait`;
}
