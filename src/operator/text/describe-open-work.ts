/** What is under way and what is planned, in sentences: for whoever is about to leave. */
import type { PlannedAction, PlannedSum, WorkUnderWay } from '../../store/reports/open-work.ts';
import { describeAction } from './describe-actions.ts';
import { money } from './describe-code.ts';
import { exactMoment } from './exact-moment.ts';

export function describeUnderWay(work: readonly WorkUnderWay[]): string {
  return work
    .map(({ kind, invoiceId }) => `${describeAction(kind)}${invoiceId === null ? '' : ` of ${invoiceId}`}`)
    .join(', ');
}

/** One line each; none where nothing is planned. */
export function describePlanned(sums: readonly PlannedSum[], next: readonly PlannedAction[]): string[] {
  if (sums.length === 0) return ['Nothing was planned.'];
  return [
    'Planned, and not done while effects are paused:',
    ...sums.map(({ kind, actions, invoices, amounts }) => {
      const total = amounts.map(({ amount, currency }) => money(amount, currency)).join(', ');
      return `  ${describeAction(kind)}: ${actions}, of ${invoices} invoice(s)${total === '' ? '' : ` (${total})`}`;
    }),
    ...next.map(({ kind, invoiceId, dueAt, amount, currency }) => {
      const sum = amount === null || currency === null ? '' : `, ${money(amount, currency)}`;
      return `  next: ${exactMoment(dueAt)} ${describeAction(kind)} of ${invoiceId}${sum}`;
    }),
  ];
}
