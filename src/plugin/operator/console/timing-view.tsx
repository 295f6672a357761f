/** What the timing is worth, as far as the holdout shows, and how much there is behind the figure. */

import { capitalize } from '../../../core/base/sentence-case.ts';
import { fromIsoAmount } from '../../../core/contract/iso-amounts.ts';
import type { TimingReport } from '../../../core/contract/timing-report.ts';
import { formatMoney } from '../../mails/format-money.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import type { KeptTimingReport } from '../../store/reports/service-reports.ts';
import type { StripeComparison } from '../../store/reports/stripe-comparison.ts';
import { percentOf } from '../figures/labels.ts';
import { describeCompared, describeDrawn, describeMeasured } from '../text/describe-comparison.ts';
import { IntervalFigure, IntervalPlot } from './interval-plot.tsx';
import type { Reader } from './page-reader.ts';
import { MarkedWords } from './parts/marked-words.tsx';
import { Moment } from './parts/moment.tsx';
import { type Column, figures, Rows, WideTable } from './parts/wide-table.tsx';

export interface TimingFacts {
  readonly service: 'embedded' | 'remote';
  readonly reports: readonly KeptTimingReport[];
  readonly comparison: StripeComparison | null;
  readonly reader: Reader;
}

export function TimingView({ service, reports, comparison, reader }: TimingFacts) {
  return (
    <>
      <h1>What the timing is worth</h1>
      {service === 'remote' ? <RemoteService /> : <Reports reports={reports} reader={reader} />}
      <AgainstStripe comparison={comparison} locale={reader.locale} />
    </>
  );
}

function AgainstStripe({ comparison, locale }: { comparison: StripeComparison | null; locale: string }) {
  if (!comparison)
    return (
      <section class="card calm">
        <h2>Against Stripe’s own retries</h2>
        <p>
          Nothing is compared: <code>COMPARE_WITH_STRIPE_PERCENT</code> leaves a share of the customers, drawn
          by lot, to Stripe’s own retries.
        </p>
      </section>
    );
  return (
    <section class="card calm">
      <h2>Against Stripe’s own retries</h2>
      <p>{describeDrawn(comparison)}.</p>
      <p>{describeMeasured(comparison)}</p>
      {comparison.compared.length === 0 && (
        <p>The first figures come {comparison.matureDays} days after the first failed invoice.</p>
      )}
      {comparison.compared.map((one) => (
        <>
          <p>{capitalize(describeCompared(one, locale))}.</p>
          {one.difference && <IntervalPlot {...one.difference} />}
        </>
      ))}
      <p class="soft">
        Every failed invoice of everybody drawn counts, whatever became of it, with the customer as the unit:
        paid within {comparison.matureDays} days, net of refunds and lost disputes; open disputes count as
        paid. The intervals hold at every look, so you may look often and stop when you like.
      </p>
    </section>
  );
}

function RemoteService() {
  return (
    <div class="card calm">
      <p>
        The retry service is a remote one, and such a service gives no report on its timing. What there is to
        compare with has to come from its operator; the embedded service measures itself with{' '}
        <code>TIMING_HOLDOUT_PERCENT</code>.
      </p>
    </div>
  );
}

function Reports({ reports, reader }: Pick<TimingFacts, 'reports' | 'reader'>) {
  const [kept] = reports;
  if (kept === undefined)
    return (
      <div class="card calm">
        <p>
          The embedded service has not reported yet. It is asked whenever its list of actions is read, every
          five minutes.
        </p>
      </div>
    );
  return (
    <>
      <p class="lead">
        A share of the failed invoices, drawn by chance, keeps a static schedule of{' '}
        {kept.report.staticDays.join(', ')} days after the first failure; for all others the policy chooses
        the times. The difference in what is recovered is what the timing is worth.
      </p>
      {[...reports].sort(ownFirst).map((one) => (
        <Report {...one} reader={reader} />
      ))}
      <Rules {...kept.report} />
    </>
  );
}

function ownFirst(one: KeptTimingReport, other: KeptTimingReport): number {
  return Number(other.account === OWN_ACCOUNT) - Number(one.account === OWN_ACCOUNT);
}

function Report({ account, readAt, report, reader }: KeptTimingReport & Pick<TimingFacts, 'reader'>) {
  const isOver = report.holdoutPercent === 0 && report.drawnPercent !== undefined;
  return (
    <section class="card calm">
      <div class="head">
        <h2>{account === OWN_ACCOUNT ? 'Own account' : `Account ${account}`}</h2>
        <span class="soft">
          reported at <Moment at={readAt} reader={reader} />
        </span>
      </div>
      {!report.difference && (
        <p>
          <MarkedWords text={report.summary} reader={reader} />
        </p>
      )}
      {report.drawnPercent === undefined ? <NothingDrawn {...report} /> : <Comparison {...report} />}
      {report.drawnPercent !== undefined &&
        report.money?.map((one) => <TimingMoney {...one} locale={reader.locale} />)}
      {isOver && (
        <p class="soft">
          No new case is drawn now: <code>TIMING_HOLDOUT_PERCENT</code> is 0. What was drawn before keeps its
          schedule and counts.
        </p>
      )}
    </section>
  );
}

function NothingDrawn({ holdoutPercent, matureDays }: TimingReport) {
  if (holdoutPercent > 0)
    return (
      <p class="soft">The first figures come {matureDays} days after the first failed invoice was drawn.</p>
    );
  return (
    <p class="soft">
      To measure it, set <code>TIMING_HOLDOUT_PERCENT</code> to a share from 1 to 50 and start again. 10 is a
      usual one: the more, the sooner there is an answer, and the more invoices go without the policy
      meanwhile.
    </p>
  );
}

function Comparison({ timed, difference, matureDays, drawnPercent, static: kept }: TimingReport) {
  return (
    <>
      <table class="sides">
        <caption>
          {number(timed.cases + kept.cases)} closed cases that began {matureDays} days ago or earlier, drawn
          with {drawnPercent ?? 0} %
        </caption>
        <Rows
          rows={[
            { name: 'the policy', ...timed },
            { name: 'static schedule', ...kept },
          ]}
          columns={SIDES}
        />
      </table>
      {difference && <IntervalFigure interval={difference} what="of the shares of cases" />}
    </>
  );
}

type Side = TimingReport['timed'] & { readonly name: string };

const SIDES: readonly Column<Side>[] = [
  { name: 'Times from', cell: ({ name }) => name },
  figures('Closed cases', ({ cases }) => number(cases)),
  figures('Recovered', ({ recovered }) => number(recovered)),
  figures('Share', ({ cases, recovered }) => percentOf(recovered, cases)),
];

function number(count: number): string {
  return count.toLocaleString('en');
}

/** What the timing is worth in money of one currency: both sides' sums, and the difference as far as they show one. */
type Compared = NonNullable<TimingReport['money']>[number];
type MoneySide = Compared['timed'] & { readonly name: string };

function TimingMoney({ currency, timed, difference, locale, ...rest }: Compared & { locale: string }) {
  const show = (amount: number) => formatMoney(fromIsoAmount(amount, currency), currency, locale);
  const columns: Column<MoneySide>[] = [
    { name: 'Times from', cell: ({ name }) => name },
    figures('Closed cases', ({ cases }) => cases.toLocaleString('en')),
    figures('At stake', ({ amount }) => show(amount)),
    figures('Recovered', ({ recovered }) => show(recovered)),
    figures('Share', ({ amount, recovered }) => percentOf(recovered, amount)),
  ];
  const sides: MoneySide[] = [
    { name: 'the policy', ...timed },
    { name: 'static schedule', ...rest.static },
  ];
  return (
    <>
      <WideTable
        label={`In money (${currency})`}
        caption={`The same in money (${currency})`}
        rows={sides}
        columns={columns}
      />
      {difference ? (
        <IntervalFigure interval={difference} what={`of the shares of ${currency}`} />
      ) : (
        <p>
          Too little to compare in {currency}: each side needs money that was recovered and money that was
          not, and as much of it as 30 invoices of equal amounts would be.
        </p>
      )}
    </>
  );
}

function Rules({ matureDays }: TimingReport) {
  return (
    <section class="card calm">
      <h2>What the figures count, and what they do not</h2>
      <ul class="prose">
        <li>
          Of cases, a large one counts as much as a small one. In money each counts with the amount of its
          invoice, each currency by itself, and only while its invoice is sure to be kept (
          <code>HISTORY_DAYS</code>).
        </li>
        <li>
          A case counts once it is closed and began {matureDays} days ago or earlier. Among younger ones there
          would be too many paid ones, as these close first.
        </li>
        <li>
          An invoice that was given up and paid later counts as recovered; one whose subscription was canceled
          does not.
        </li>
        <li>
          A case is drawn once, by a hash of its invoice’s id and a seed, and stays what it is. Cases that
          were drawn with another share than the latest do not count.
        </li>
        <li>
          All else is the same on both sides: what must not be retried, the limits on attempts, the mails.
        </li>
        <li>
          The interval is Newcombe’s, for the difference of two shares; in money it is that of the delta
          method, for ratios of sums. Differences of a few points need thousands of failed invoices to show.
        </li>
      </ul>
    </section>
  );
}
