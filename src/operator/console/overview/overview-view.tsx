/** What failed payments cost and what came back, then what a person has to do. */
import { capitalize } from '../../../kit/sentence-case.ts';
import type { Observed } from '../../../store/reports/observed.ts';
import type { WorkStatus } from '../../../store/reports/work-status.ts';
import { AFTER_OBSERVING, describeObserved, OBSERVE_MODE } from '../../checks/describe-observed.ts';
import { describeNeed, listStatusParts } from '../../text/status/describe-status.ts';
import type { Reader } from '../page-reader.ts';
import { nameStandstill } from '../pages/health-view.tsx';
import { Breakdowns } from './breakdowns.tsx';
import { DueSoon } from './due-soon.tsx';
import { addressOf, Figures } from './figures.tsx';
import { type MoneyFacts, RANGES } from './money-facts.ts';
import { MonthsOfFailure, PaidByDay } from './months.tsx';
import { RecoveredChart } from './recovered-chart.tsx';

export interface ShownOverview {
  readonly facts: MoneyFacts;
  readonly status: WorkStatus;
  /** In observe mode. */
  readonly observed: Observed | undefined;
  readonly reader: Reader;
}

export function OverviewView({ facts, status, observed, reader }: ShownOverview) {
  return (
    <>
      <div class="head">
        <h1>Overview</h1>
        <nav aria-label="Period" class="tabs">
          {RANGES.map((range) => (
            <a
              href={addressOf(facts, reader, { range })}
              aria-current={range === facts.range ? 'page' : undefined}
            >
              {capitalize(range)}
            </a>
          ))}
        </nav>
      </div>
      <Attention status={status} reader={reader} />
      {observed && (
        <p class="verdict">
          {OBSERVE_MODE}; {describeObserved(observed)}; {AFTER_OBSERVING}.
        </p>
      )}
      <Figures facts={facts} reader={reader} />
      <div class="columns">
        <MonthsOfFailure facts={facts} reader={reader} />
        <PaidByDay facts={facts} reader={reader} />
      </div>
      <RecoveredChart facts={facts} reader={reader} />
      <DueSoon facts={facts} reader={reader} />
      <Breakdowns facts={facts} reader={reader} />
    </>
  );
}

/** Health in one line; what needs a person with the place where it is fixed. */
function Attention({ status, reader }: Pick<ShownOverview, 'status' | 'reader'>) {
  const parts = listStatusParts(status, reader.now).filter(({ about }) =>
    status.concerns.some((concern) => concern === about),
  );
  return (
    <section class={`verdict ${status.needsPerson ? 'bad' : 'good'}`} aria-label="Health">
      <p role="status">
        {describeNeed(status)}{' '}
        <a class="soft" href={`${reader.root}deliveries`}>
          Health in full
        </a>
      </p>
      {parts.length > 0 && (
        <ul>
          {parts.map(nameStandstill).map(({ about, title, lines, more }) => (
            <li>
              <span>
                {title} <b>{lines.length + more}</b>
              </span>
              <a class="button" href={`${reader.root}deliveries#${about}`}>
                Open
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
