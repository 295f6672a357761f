import type { CursorLag } from '../../../store/reports/work-status.ts';
import { exactMoment } from '../exact-moment.ts';

const CURSORS: ReadonlyMap<string, string> = new Map([
  ['events', "Stripe's events"],
  ['listing', "the service's list of actions"],
]);

export function nameCursor(name: string): string {
  return CURSORS.get(name) ?? name;
}

/** What to check if a cursor does not move. */
const STUCK: ReadonlyMap<string, string> = new Map([
  ['events', 'check that a process is running and Stripe accepts its key'],
  ['listing', 'is a process running, and does the service answer GET /v1/recovery_actions?'],
]);

export function describeCursor({ account, name, at, lagSeconds, isStuck }: CursorLag): string {
  const minutes = Math.floor(lagSeconds / 60);
  const behind = `${minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`} behind`;
  const stuck = isStuck ? `; ${STUCK.get(name) ?? 'is a process running?'}` : '';
  return `${nameCursor(name)}, account ${account}: ${exactMoment(at)}, ${behind}${stuck}`;
}
