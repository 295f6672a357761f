/** One invoice: its status, the next step and why, and everything that happened. */
import { toIso } from '../../../core/base/clock.ts';
import { capitalize } from '../../../core/base/sentence-case.ts';
import { findInvoiceHistory } from '../../store/reports/invoice-history.ts';
import { listFailures } from '../../store/reports/money/list-failures.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';
import { findAwaitedUntil } from '../text/describe-need.ts';
import { listSummary } from '../text/describe-summary.ts';
import { lineOf, listTimeline } from '../text/list-timeline.ts';
import { standingOf } from '../text/preview-operation.ts';
import type { InvoiceAnswer } from './answers.ts';
import type { AnswerDeps, AppQuery } from './define-request.ts';
import { offerOperations } from './offered-operations.ts';
import { inReadersTime } from './reader.ts';
import { namePayer, showNeed, showStanding } from './shown-failure.ts';

/** The newest are shown. */
const TIMELINE_LENGTH = 40;
const PAUSED = { label: 'Paused', tone: 'warn' } as const;

export async function answerInvoice(
  deps: AnswerDeps,
  asked: AppQuery,
  { id }: { id: string },
): Promise<InvoiceAnswer> {
  const { database, clock } = deps;
  const { account, abilities, reader } = asked;
  const history = await findInvoiceHistory(database, id, account);
  const invoice = history?.invoice;
  if (!history || !invoice) return { id, isKnown: false };
  await refreshForReader(database);
  const [failure] = await listFailures(database, { account, invoices: [id] }, { sort: 'failed', limit: 1 });
  const isOpen = invoice.status === 'open' || invoice.status === 'uncollectible';
  const isUndecided = history.actions.some(({ state }) => state === 'undecided');
  const need = failure?.need ?? (isOpen && isUndecided ? 'undecided' : null);
  const isAwaited = failure !== undefined && findAwaitedUntil(failure, clock.now()) !== undefined;
  const mayOperate = abilities.includes('operate');
  const shown = failure && showStanding(failure, reader, clock.now());
  const text = (words: string) => capitalize(inReadersTime(reader, words)).replace(/`([^`]+)`/g, '“$1”');
  return {
    id,
    isKnown: true,
    amount: failure?.state === 'recovered' ? failure.amount : invoice.amountRemaining,
    currency: invoice.currency,
    customer: failure === undefined ? null : namePayer(failure),
    standing: isOpen && history.pause ? PAUSED : (shown ?? null),
    need: need && showNeed(need, isAwaited),
    status: listSummary(id, history).map((line) => ({
      about: capitalize(line.about),
      text: text(line.text),
    })),
    timeline: listTimeline([{ id, history }])
      .filter(({ isPlan }) => !isPlan)
      .slice(0, TIMELINE_LENGTH)
      .map((entry) => ({ at: toIso(entry.at), text: text(lineOf({ ...entry, details: [] })) })),
    mayOperate,
    operations:
      mayOperate && isOpen
        ? await offerOperations(deps, asked, {
            id,
            standing: standingOf(history),
            need: isAwaited ? null : need,
          })
        : [],
  };
}
