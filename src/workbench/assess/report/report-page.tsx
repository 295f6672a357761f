/** An assessment as a self-contained page: charts, tables, and the basis of the figures. */
import type { ComponentChildren } from 'preact';
import { renderDocument } from '../../../core/web/page-document.tsx';
import { pageStyle } from '../../../core/web/page-style.ts';
import { Key, SEGMENT_STYLE, Segments } from '../../../core/web/segments.tsx';
import {
  type Assessment,
  type Counted,
  type FailedRow,
  MATURE_DAYS,
  type NamedCount,
} from '../figures/assessment.ts';
import { groupBy } from '../group-by.ts';
import { addUpOpen, CAUSES, GUARDS, KEY_WORDS, LIMITS, NEEDS, nameOf } from './describe-assessment.ts';
import { count, DataTable, money, Section, share } from './report-table.tsx';
import { CURVE_STYLE, ShareCurve } from './share-curve.tsx';

export interface ReportFacts {
  readonly accountName: string;
  readonly accountId: string;
  /** ISO dates, the first and the last day. */
  readonly from: string;
  readonly to: string;
  readonly isSimulated: boolean;
  readonly assessment: Assessment;
}

const STYLE = pageStyle(`${CURVE_STYLE}${SEGMENT_STYLE}
main { max-width: 56rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
section { margin: 0 0 1rem; padding: 1rem 1.25rem; }
h2 { margin: 0 0 .5rem; font-size: 1.15rem; }
table { width: 100%; border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .5rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
th.number, td.number { text-align: right; white-space: nowrap; }
.scroll { overflow-x: auto; }
.big { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1rem; }
.big strong { display: block; font-size: 1.5rem; line-height: 1.2; }
@media (max-width: 40rem) {
  thead { display: none; }
  tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--line); }
  tbody th, td { display: flex; justify-content: space-between; gap: 1rem; padding: .1rem 0; border: 0; }
  td::before { content: attr(data-head); color: var(--soft); }
}
.prose { list-style: disc; padding-left: 1.25rem; }
`);

export function renderReport(facts: ReportFacts): string {
  return renderDocument({
    title: `Failed renewals of ${facts.accountName}`,
    styles: [STYLE],
    body: (
      <main>
        <Head {...facts} />
        <Totals {...facts.assessment} />
        {facts.assessment.total.map(({ currency }) => (
          <InCurrency {...facts.assessment} currency={currency} />
        ))}
        <Attempts {...facts.assessment} />
        <OpenNow {...facts.assessment} />
        <OtherTimes />
        <Basis />
      </main>
    ),
  });
}

const SIMULATED =
  'The customers are simulated: the figures show what a report contains, and are nobody’s recovery rates.';

function Head({ accountName, accountId, from, to, isSimulated }: ReportFacts) {
  return (
    <header>
      <h1>Failed renewals of {accountName}</h1>
      <p class="soft">
        {accountId}, {from} to {to}. {isSimulated ? SIMULATED : ''}
      </p>
    </header>
  );
}

function Totals({ total, renewals }: Assessment) {
  return (
    <Section title="In short">
      {total.length === 0 ? <p>No renewal failed in this time.</p> : null}
      {total.map((row) => {
        const charged = renewals.find(({ currency }) => currency === row.currency)?.charged;
        return (
          <div class="big">
            <Figure value={money(row.failed.amount, row.currency)} of={row.failed}>
              failed: {share(row.failed.invoices + row.young.invoices, charged?.invoices)} of the renewals in{' '}
              {row.currency.toUpperCase()}
            </Figure>
            <Figure value={money(row.recovered.amount, row.currency)} of={row.recovered}>
              recovered: {share(row.recovered.amount, row.failed.amount)} of the failed amount
            </Figure>
            <Figure value={money(row.open.amount, row.currency)} of={row.open}>
              in recovery
            </Figure>
            <Figure value={money(row.lost.amount, row.currency)} of={row.lost}>
              lost (void or uncollectible)
            </Figure>
          </div>
        );
      })}
      <p class="soft">
        These and all shares below count renewals whose first payment failed at least 30 days ago; younger
        ones ({total.reduce((sum, { young }) => sum + young.invoices, 0)}) may still be paid.
      </p>
    </Section>
  );
}

function Figure({ value, of, children }: { value: string; of: Counted; children: ComponentChildren }) {
  return (
    <p>
      <strong>{value}</strong> {children} <span class="soft">({count(of.invoices)} invoices)</span>
    </p>
  );
}

const ENDINGS = [
  ['recovered', 'good', 'Recovered'],
  ['open', 'open', 'In recovery'],
  ['lost', 'lost', 'Lost'],
] as const;

type Money = Assessment & { readonly currency: string };

/** One currency after the other: sums of two cannot be compared. */
function InCurrency(assessment: Money) {
  const { currency, byMonth, byReason, byNetwork, byCountry } = assessment;
  const of = (rows: readonly FailedRow[]) =>
    rows.filter((row) => row.currency === currency && row.failed.invoices > 0);
  if (of(assessment.total).length === 0) return null;
  return (
    <>
      <Months rows={of(byMonth)} currency={currency} />
      <Causes {...assessment} />
      <Section title={`${currency.toUpperCase()}: breakdowns`}>
        <Rows title="By reason of the first decline" of="reason" rows={of(byReason)} />
        <Rows title="By card network" of="network" rows={of(byNetwork)} />
        <Rows title="By country" of="country" rows={of(byCountry)} />
      </Section>
    </>
  );
}

function Months({ rows, currency }: { rows: readonly FailedRow[]; currency: string }) {
  return (
    <Section title={`${currency.toUpperCase()}: by month`}>
      <p>
        {ENDINGS.map(([, tone, words]) => (
          <Key tone={tone}>{words} </Key>
        ))}
      </p>
      <RowTable of="month" rows={rows} />
    </Section>
  );
}

type RowsProps = { of: keyof typeof KEY_WORDS; rows: readonly FailedRow[] };

function Rows({ title, ...table }: RowsProps & { title: string }) {
  return (
    <details>
      <summary>{title}</summary>
      <RowTable {...table} />
    </details>
  );
}

const HEADS = { month: 'Month', reason: 'Reason', network: 'Network', country: 'Country' };

function RowTable({ of, rows }: RowsProps) {
  return (
    <DataTable
      heads={[HEADS[of], 'Failed', 'Amount', 'Recovered', 'Recovery rate', 'In recovery', 'Lost']}
      rows={rows.map(({ key, currency, failed, recovered, open, lost }) => [
        <>
          {KEY_WORDS[of](key)}
          {of === 'month' && (
            <Segments
              parts={ENDINGS.map(([name, tone]) => [tone, { recovered, open, lost }[name].amount] as const)}
            />
          )}
        </>,
        count(failed.invoices),
        money(failed.amount, currency),
        money(recovered.amount, currency),
        share(recovered.amount, failed.amount),
        money(open.amount, currency),
        money(lost.amount, currency),
      ])}
    />
  );
}

function Causes({ causes, total, currency }: Money) {
  const rows = causes.filter((row) => row.currency === currency);
  if (rows.length === 0) return null;
  const failed = total
    .filter((row) => row.currency === currency)
    .reduce((sum, row) => sum + row.failed.invoices + row.young.invoices, 0);
  const byDay = Array.from({ length: MATURE_DAYS + 1 }, (_, day) =>
    failed === 0 ? 0 : (100 * rows.reduce((sum, cause) => sum + (cause.byDay[day] ?? 0), 0)) / failed,
  );
  return (
    <Section title={`${currency.toUpperCase()}: recovered by method`}>
      <p class="soft">Share of all failed renewals that was paid by each day after the failure.</p>
      <ShareCurve
        label="Share of the failed renewals paid by day after the failure"
        values={byDay}
        days={MATURE_DAYS}
      />
      <DataTable
        heads={['Method', 'Invoices', 'Amount', 'Median days']}
        rows={rows.map(({ cause, recovered, medianDays }) => [
          CAUSES[cause],
          count(recovered.invoices),
          money(recovered.amount, currency),
          medianDays.toFixed(1),
        ])}
      />
    </Section>
  );
}

function Attempts({ attempts }: Assessment) {
  const { repeated, paid, hopeless, beyondLimits, stopped } = attempts;
  return (
    <Section title="Attempts after the first failure">
      <p>
        {count(repeated)} attempts, {count(paid)} of them paid. {count(hopeless.attempts)} were made with a
        card that its bank had declined for good; {count(hopeless.paid)} of these were paid.
      </p>
      <CountTable head="Beyond a limit of the network" rows={beyondLimits} names={LIMITS} />
      <CountTable head="Our guards would have stopped, or made wait" rows={stopped} names={GUARDS} />
    </Section>
  );
}

type CountTableProps = { head: string; rows: readonly NamedCount[]; names: Readonly<Record<string, string>> };

function CountTable({ head, rows, names }: CountTableProps) {
  if (rows.length === 0) return <p class="soft">{head}: none.</p>;
  return (
    <DataTable
      heads={[head, 'Attempts', 'Paid nevertheless']}
      rows={rows.map(({ name, attempts, paid }) => [nameOf(names, name), count(attempts), count(paid)])}
    />
  );
}

function OpenNow({ open }: Assessment) {
  const sums = [...groupBy(open, ({ currency }) => currency)].map(([currency, parts]) => {
    const { amount, invoices } = addUpOpen(parts);
    return `${money(amount, currency)} in ${count(invoices)} invoices`;
  });
  return (
    <Section title="In recovery now">
      <p>{open.length === 0 ? 'Nothing is in recovery.' : `${sums.join(', ')}:`}</p>
      <ul class="prose">
        {open.map(({ currency, need, invoices, amount }) => (
          <li>
            {money(amount, currency)} in {count(invoices)} invoices: {NEEDS[need]}
          </li>
        ))}
      </ul>
      <p class="soft">Renewals of the last 30 days included, by the bank's latest answer.</p>
    </Section>
  );
}

/** Figures of `npm run simulate`, as `docs/concepts/timing.md` has them. */
function OtherTimes() {
  return (
    <Section title="What other retry times may bring">
      <p>
        This history cannot say: nobody knows how a bank would have answered at a time that was not tried. In
        simulations with pay days or issuers' rules, the plugin's times recover 1.1 to 1.5 percentage points
        more than eight retries spread evenly, and 0.4 without pay days. A control group measures it on your
        customers.
      </p>
    </Section>
  );
}

function Basis() {
  return (
    <Section title="Basis of the figures">
      <ul class="prose">
        <li>Renewals charged automatically; first invoices and sent ones are left out.</li>
        <li>A renewal failed if its first charge was declined, or if Stripe could not make one.</li>
        <li>A charge with the same card as before counts as an automatic retry.</li>
        <li>An invoice paid with a different card counts as “another card”.</li>
        <li>Amounts are what was due, before refunds and disputes.</li>
      </ul>
    </Section>
  );
}
