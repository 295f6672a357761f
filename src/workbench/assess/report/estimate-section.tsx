/** The worth of other times, with its evidence. */
import type { ComponentChildren } from 'preact';
import type { Assessment } from '../figures/assessment.ts';
import { MIN_TRIES } from '../figures/estimate-timing.ts';
import { count, DataTable, money, share } from './report-table.tsx';

export function Estimate({ estimate }: Assessment) {
  const { evidence, worth } = estimate;
  const known = worth.filter(({ attempts }) => attempts > 0);
  return (
    <Section title="Estimate: more retries at other times">
      {known.length === 0 ? (
        <p>No evidence: no time was tried {MIN_TRIES} times that another unpaid invoice lacks.</p>
      ) : null}
      <ul class="prose">
        {known.map(({ currency, cases, amount, expected, low, high, attempts }) => (
          <li>
            {money(expected, currency)} more, between {money(low, currency)} and {money(high, currency)}, of{' '}
            {money(amount, currency)} in {count(cases)} unpaid renewals, with {count(attempts)} more attempts.
          </li>
        ))}
      </ul>
      <ul class="prose soft">
        <li>
          It uses only times that this account tried at least {MIN_TRIES} times after as many declines, with
          their 95 % intervals.
        </li>
        <li>
          The invoices not tried at such a time may differ: treat it as an upper guess, and measure with a
          control group.
        </li>
      </ul>
      {evidence.length === 0 ? null : <EvidenceTable rows={evidence} />}
    </Section>
  );
}

function EvidenceTable({ rows }: { rows: Assessment['estimate']['evidence'] }) {
  return (
    <details>
      <summary>The evidence</summary>
      <DataTable
        heads={['Days after the failure', 'Declines before', 'Retries', 'Paid', 'Recovery rate']}
        rows={rows.map(({ refusals, fromDay, toDay, tries, paid }) => [
          `${fromDay} to ${toDay}`,
          refusals === 3 ? '3 and more' : String(refusals),
          count(tries),
          count(paid),
          share(paid, tries),
        ])}
      />
    </details>
  );
}

export function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
