/** What failed payments cost and what came back, then what a person has to do. */
import { formatMoney } from '../../../email/format-money.ts';
import { type MoneySum, netOf } from '../../../store/reports/money/sum-failures.ts';
import type { Observed } from '../../../store/reports/observed.ts';
import type { WorkStatus } from '../../../store/reports/work-status.ts';
import { AFTER_OBSERVING, describeObserved, OBSERVE_MODE } from '../../checks/describe-observed.ts';
import { describeNeed, listStatusParts } from '../../text/status/describe-status.ts';
import type { Reader } from '../page-reader.ts';
import { nameStandstill } from '../pages/health-view.tsx';
import { ColumnHeads, numbers } from '../parts/column-heads.tsx';
import { WideTable } from '../parts/wide-table.tsx';
import { Breakdowns } from './breakdowns.tsx';
import { DueSoon } from './due-soon.tsx';
import { type MoneyFacts, PERIODS, totalOf } from './money-facts.ts';
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
          {PERIODS.map((days) => (
            <a href={`${reader.root}?days=${days}`} aria-current={days === facts.days ? 'page' : undefined}>
              {days} days
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
      <Headline facts={facts} reader={reader} />
      <Currencies facts={facts} reader={reader} />
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

interface Shown {
  readonly facts: MoneyFacts;
  readonly reader: Reader;
}

function Headline({ facts, reader }: Shown) {
  const all = facts.failed.filter(({ dimension }) => dimension === 'all');
  const failed = totalOf(facts, all);
  const unpaid = totalOf(facts, facts.unpaid);
  const show = ({ amount, currency }: { amount: number; currency: string }) =>
    formatMoney(amount, currency, reader.locale);
  const of = `of ${show(failed)} that failed in ${facts.days} days`;
  const gross = totalOf(facts, all, 'recovered');
  const recovered = totalOf(facts, all.map(netOf), 'recovered');
  const lost = totalOf(facts, all, 'lost');
  const waiting = totalOf(facts, facts.unpaid, 'waiting');
  return (
    <>
      <dl class="figures">
        <Figure
          name="At risk now"
          value={show(unpaid)}
          note={`${invoices(unpaid.invoices, reader)} unpaid, whenever they failed`}
        />
        <Figure
          name="Recovered"
          tone="good"
          value={show(recovered)}
          note={`${percent(recovered.amount, failed.amount)} ${of}${gross.amount === recovered.amount ? '' : `; ${show(gross)} before refunds and lost disputes`}`}
        />
        <Figure
          name="Lost"
          tone={lost.amount === 0 ? '' : 'bad'}
          value={show(lost)}
          note={`${percent(lost.amount, failed.amount)} ${of}`}
        />
        <Figure
          name="Waiting"
          tone="warn"
          value={show(waiting)}
          note={`${percent(waiting.amount, unpaid.amount)} of what is at risk: no payment is planned before somebody acts`}
        />
      </dl>
      <MissingRates
        missing={[...new Set([...failed.missing, ...unpaid.missing])]}
        currency={facts.currency}
      />
    </>
  );
}

function Figure({
  name,
  value,
  note,
  tone = '',
}: {
  name: string;
  value: string;
  note: string;
  tone?: string;
}) {
  return (
    <div class={tone}>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong> <span class="soft">{note}</span>
      </dd>
    </div>
  );
}

function MissingRates({ missing, currency }: { missing: readonly string[]; currency: string }) {
  if (missing.length === 0) return null;
  return (
    <p class="soft">
      Not in these totals: {missing.map((name) => name.toUpperCase()).join(', ')}. <code>EXCHANGE_RATES</code>{' '}
      can say what they are worth in {currency.toUpperCase()}.
    </p>
  );
}

/** Each currency by itself: nothing in it is converted. */
function Currencies({ facts, reader }: Shown) {
  const all = facts.failed.filter(({ dimension }) => dimension === 'all');
  const currencies = [...new Set([...all, ...facts.unpaid].map(({ currency }) => currency))].sort();
  if (currencies.length === 0) return <p class="soft">No payment has failed yet.</p>;
  const sum = (currency: string, sums: readonly MoneySum[], ...states: readonly string[]) =>
    sums
      .filter((one) => one.currency === currency && (states.length === 0 || states.includes(one.state)))
      .reduce((total, { amount }) => total + amount, 0);
  return (
    <section class="card">
      <h2>By currency</h2>
      <p class="soft">
        Of what failed in {facts.days} days; at risk is all that is unpaid, whenever it failed.
      </p>
      <WideTable label="By currency" isStacked>
        <ColumnHeads
          columns={[
            'Currency',
            ...numbers(
              'Failed',
              'Recovered',
              'Before refunds and disputes',
              'Share',
              'Lost',
              'Still open',
              'At risk now',
            ),
          ]}
        />
        <tbody>
          {currencies.map((currency) => {
            const show = (amount: number) => formatMoney(amount, currency, reader.locale);
            const failed = sum(currency, all);
            const recovered = sum(currency, all.map(netOf), 'recovered');
            return (
              <tr>
                <th scope="row">
                  <a href={`${reader.root}invoices?currency=${currency}`}>{currency.toUpperCase()}</a>
                </th>
                {Object.entries({
                  Failed: show(failed),
                  Recovered: show(recovered),
                  'Before refunds and disputes': show(sum(currency, all, 'recovered')),
                  Share: percent(recovered, failed),
                  Lost: show(sum(currency, all, 'lost')),
                  'Still open': show(sum(currency, all, 'open', 'waiting')),
                  'At risk now': show(sum(currency, facts.unpaid)),
                }).map(([name, value]) => (
                  <td class="number" data-name={name}>
                    {value}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </WideTable>
    </section>
  );
}

function invoices(count: number, { locale }: Reader): string {
  return `${count.toLocaleString(locale)} ${count === 1 ? 'invoice' : 'invoices'}`;
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;
}
