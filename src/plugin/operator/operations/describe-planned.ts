import { describeAction } from '../../actions/action-kinds.ts';
import type { PlannedWork } from '../../store/tables/retry/stop-actions.ts';
import { plural, type Say } from './operation.ts';

/** `2 payments, the first at 5 Mar`; undefined where nothing is planned. */
export function describePlanned(planned: readonly PlannedWork[], { moment }: Say): string | undefined {
  const [first] = planned;
  const counts = planned.map(({ kind, count }) => plural(count, describeAction(kind)));
  if (first === undefined) return undefined;
  const all = planned.reduce((sum, { count }) => sum + count, 0);
  return `${counts.join(' and ')}${all > 1 ? ', the first' : ''} at ${moment(first.nextAt.toISO())}`;
}
