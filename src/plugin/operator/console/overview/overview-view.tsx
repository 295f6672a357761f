/** What failed payments cost and what came back, then what a person has to do. */

import { DateTime } from 'luxon';
import { capitalize } from '../../../../core/base/sentence-case.ts';
import { formatMoney } from '../../../mails/format-money.ts';
import type { Observed } from '../../../store/reports/observed.ts';
import type { WorkStatus } from '../../../store/reports/work-status.ts';
import { AFTER_OBSERVING, describeObserved, OBSERVE_MODE } from '../../checks/describe-observed.ts';
import { type CurrencyRow, inRow } from '../../figures/exchange.ts';
import { listFigures, nameRow } from '../../figures/list-figures.ts';
import { countInvoices, type MoneyFacts, RANGES, type Range, totalOf } from '../../figures/money-facts.ts';
import { describeNeed, listStatusParts } from '../../text/status/describe-status.ts';
import type { Reader } from '../page-reader.ts';
import { nameStandstill } from '../pages/health-view.tsx';
import { Figure } from '../parts/cells.tsx';
import { type Column, figures, Rows } from '../parts/wide-table.tsx';
import { Breakdowns } from './breakdowns.tsx';
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

/** What is planned for the next seven days. */
function DueSoon({ facts, reader }: { facts: MoneyFacts; reader: Reader }) {
  const due = inRow(facts.row, facts.due);
  const { locale } = reader;
  const paymentsOf = (day: string) => due.filter((sum) => sum.day === day && sum.kind === 'pay');
  const days = [...new Set(due.map(({ day }) => day))].sort();
  const columns: Column<string>[] = [
    { name: 'Day', cell: (day) => nameDay(day, reader) },
    figures('Payments', (day) => countInvoices(paymentsOf(day)).toLocaleString(locale)),
    figures('Their sum', (day) =>
      formatMoney(totalOf(facts, facts.row, paymentsOf(day)), facts.row.currency, locale),
    ),
    figures('Mails and others', (day) =>
      countInvoices(due.filter((sum) => sum.day === day && sum.kind !== 'pay')).toLocaleString(locale),
    ),
  ];
  return (
    <section class="card">
      <div class="head">
        <h2>Due in the next seven days</h2>
        <a href={`${reader.root}invoices?sort=next`}>All by their time</a>
      </div>
      {days.length === 0 ? (
        <p class="soft">Nothing is planned.</p>
      ) : (
        <table>
          <Rows rows={days} columns={columns} />
        </table>
      )}
    </section>
  );
}

function nameDay(day: string, { now, zone }: Reader): string {
  const at = DateTime.fromISO(day, { zone }).setLocale('en');
  const distance = Math.round(at.diff(now.setZone(zone).startOf('day'), 'days').days);
  if (distance < 0) return `${at.toFormat('ccc d LLL')}, overdue`;
  if (distance === 0) return 'Today';
  return distance === 1 ? 'Tomorrow' : at.toFormat('ccc d LLL');
}

/** Five figures, a row for each currency that cannot be added to another: what came back, failed, became of it, is at risk, waits for you. */
interface Shown {
  readonly facts: MoneyFacts;
  readonly reader: Reader;
}

function Figures({ facts, reader }: Shown) {
  const { rows, row: chosen, isGross, zone } = facts;
  if (rows.length === 0) return <p class="soft">No payment has failed yet.</p>;
  const isOne = rows.length === 1;
  return (
    <>
      {rows.map((row) => (
        <section aria-label={`Figures in ${nameRow(row)}`}>
          {!isOne && (
            <h2>
              <a
                href={addressOf(facts, reader, { currency: row.currency })}
                aria-current={row === chosen ? 'true' : undefined}
              >
                {nameRow(row)}
              </a>
            </h2>
          )}
          <dl class="figures">
            {listFigures(facts, row, reader.locale).map(({ name, filter, ...figure }) => (
              <Figure
                {...figure}
                name={<a href={filter ? linkTo(reader, row, filter) : `${reader.root}needs`}>{name}</a>}
              />
            ))}
          </dl>
        </section>
      ))}
      <p class="soft">
        {isGross ? 'Before refunds and lost disputes. ' : 'Refunds and lost disputes excluded. '}
        <a href={addressOf(facts, reader, { isGross: !isGross })}>
          {isGross ? 'Take them off' : 'Show the sums before them'}
        </a>
        . Days and months are those of {zone}.{!isOne && ` Charts and tables below: ${nameRow(chosen)}.`}
      </p>
    </>
  );
}

/** The overview with something else chosen. */
function addressOf(
  { range, isGross, currency }: Pick<MoneyFacts, 'range' | 'isGross' | 'currency'>,
  { root }: Reader,
  changes: { readonly range?: Range; readonly isGross?: boolean; readonly currency?: string },
): string {
  const chosen = { range, isGross, currency, ...changes };
  const parts = new URLSearchParams({ range: chosen.range });
  if (chosen.isGross) parts.set('money', 'gross');
  if (chosen.currency !== undefined) parts.set('currency', chosen.currency);
  return `${root}?${parts}`;
}

/** The invoices behind a figure. */
function linkTo({ root }: Reader, { currencies }: CurrencyRow, filter: Record<string, string>): string {
  const of = { currency: [...currencies].sort().join(',') };
  return `${root}invoices?${new URLSearchParams({ ...filter, ...of })}`;
}
