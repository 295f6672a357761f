/** What the timing is worth, as far as the holdout tells, and how much there is behind the figure. */
import { OWN_ACCOUNT } from '../../config/account.ts';
import type { TimingReport } from '../../contract/timing-report.ts';
import { type Html, html } from '../../http/html.ts';
import type { KeptTimingReport } from '../../store/reports/service-reports.ts';
import { exactMoment } from '../text/exact-moment.ts';
import { type Interval, renderIntervalPlot, signedPoints } from './interval-plot.ts';
import { wordsToHtml } from './words-to-html.ts';

export interface TimingFacts {
  readonly service: 'embedded' | 'remote';
  readonly reports: readonly KeptTimingReport[];
}

export function renderTiming({ service, reports }: TimingFacts, root: string): Html {
  return html`<h1>What the timing is worth</h1>
${service === 'remote' ? renderRemote() : renderReports(reports, root)}`;
}

function renderRemote(): Html {
  return html`<div class="card calm"><p>The retry service is a remote one, and such a service gives no report on its timing. What there is to compare with has to come from its operator; the embedded service measures itself with <code>TIMING_HOLDOUT_PERCENT</code>.</p></div>`;
}

function renderReports(reports: readonly KeptTimingReport[], root: string): Html {
  const [report] = reports;
  if (report === undefined)
    return html`<div class="card calm"><p>The embedded service has not told yet. It is asked whenever its list of actions is read, every five minutes.</p></div>`;
  return html`<p class="lead">A share of the failed invoices, drawn by chance, keeps a static schedule of ${report.report.staticDays.join(', ')} days after the first failure; for all others the policy chooses the times. The difference in what is recovered is what the timing is worth.</p>
${[...reports].sort(ownFirst).map((one) => renderReport(one, root))}
${renderRules(report.report)}`;
}

function ownFirst(one: KeptTimingReport, other: KeptTimingReport): number {
  return Number(other.account === OWN_ACCOUNT) - Number(one.account === OWN_ACCOUNT);
}

function renderReport({ account, readAt, report }: KeptTimingReport, root: string): Html {
  const title = account === OWN_ACCOUNT ? 'Own account' : `Account ${account}`;
  return html`<section class="card calm">
<div class="head"><h2>${title}</h2><span class="soft">told at ${exactMoment(readAt)}</span></div>
${report.difference ? html`` : html`<p>${wordsToHtml(report.summary, root)}</p>`}
${report.drawnPercent === undefined ? renderNothingDrawn(report) : renderComparison(report)}
${report.holdoutPercent === 0 && report.drawnPercent !== undefined ? OVER : html``}
</section>`;
}

const OVER = html`<p class="soft">No new case is drawn now: <code>TIMING_HOLDOUT_PERCENT</code> is 0. What was drawn before keeps its schedule and counts.</p>`;

function renderNothingDrawn({ holdoutPercent, matureDays }: TimingReport): Html {
  if (holdoutPercent > 0)
    return html`<p class="soft">The first figures come ${matureDays} days after the first failed invoice was drawn.</p>`;
  return html`<p class="soft">To measure it, set <code>TIMING_HOLDOUT_PERCENT</code> to a share from 1 to 50 and start again. 10 is a usual one: the more, the sooner there is an answer, and the more invoices go without the policy meanwhile.</p>`;
}

function renderComparison(report: TimingReport): Html {
  const { timed, difference, matureDays, drawnPercent } = report;
  const comparison = difference
    ? html`<figure>
<figcaption>Difference in percentage points, timing minus static schedule; the bar is the 95 % interval</figcaption>
${renderIntervalPlot(difference)}
</figure>
<p><strong>${signedPoints(difference.points)} points</strong>, 95 % interval ${signedPoints(difference.low)} to ${signedPoints(difference.high)}. ${readingOf(difference)}</p>`
    : html``;
  return html`<table class="sides">
<caption>${number(timed.cases + report.static.cases)} closed cases that began ${matureDays} days ago or earlier, drawn with ${drawnPercent ?? 0} %</caption>
<thead><tr><th scope="col">Times from</th><th scope="col" class="number">Closed cases</th><th scope="col" class="number">Recovered</th><th scope="col" class="number">Share</th></tr></thead>
<tbody>
${renderSide('the policy', timed)}
${renderSide('static schedule', report.static)}
</tbody>
</table>
${comparison}`;
}

function renderSide(name: string, { cases, recovered }: { cases: number; recovered: number }): Html {
  const share = cases === 0 ? '–' : `${((100 * recovered) / cases).toFixed(1)} %`;
  return html`<tr><th scope="row">${name}</th><td class="number">${number(cases)}</td><td class="number">${number(recovered)}</td><td class="number">${share}</td></tr>`;
}

function number(count: number): string {
  return count.toLocaleString('en');
}

function readingOf({ low, high }: Interval): string {
  if (low > 0) return 'All of the interval is above zero: the timing recovers more.';
  if (high < 0) return 'All of the interval is below zero: the static schedule recovers more.';
  return 'Zero is within the interval: so far the cases do not tell which recovers more.';
}

function renderRules({ matureDays }: TimingReport): Html {
  return html`<section class="card calm">
<h2>What the figures count, and what they do not</h2>
<ul class="prose">
<li>Invoices are counted, not money: a large one weighs as much as a small one.</li>
<li>A case counts once it is closed and began ${matureDays} days ago or earlier. Among younger ones there would be too many paid ones, as these close first.</li>
<li>An invoice that was given up and paid later counts as recovered; one whose subscription was canceled does not.</li>
<li>A case is drawn once, by a hash of its invoice’s id and a seed, and stays what it is. Cases that were drawn with another share than the latest do not count.</li>
<li>All else is the same on both sides: what must not be retried, the limits on attempts, the mails.</li>
<li>The interval is Newcombe’s, for the difference of two shares. Differences of a few points need thousands of failed invoices to show.</li>
</ul>
</section>`;
}
