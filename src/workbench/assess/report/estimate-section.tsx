/** What other times could be worth, with what that rests on. */
import type { ComponentChildren } from 'preact';
import type { Assessment } from '../figures/assessment.ts';
import { MIN_TRIES } from '../figures/estimate-timing.ts';
import { count, DataTable, money, share } from './report-table.tsx';

export function Estimate({ estimate }: Assessment) {
  const { evidence, worth } = estimate;
  const known = worth.filter(({ attempts }) => attempts > 0);
  return (
    <Section title="An estimate: what more attempts at other times could be worth">
      {known.length === 0 ? (
        <p>
          There is no evidence in this history: no time was tried at least {MIN_TRIES} times that an unpaid
          invoice was not tried at.
        </p>
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
          Only times count that were really tried in this account, at least {MIN_TRIES} times after as many
          refusals; nothing is taken from other merchants or from a model.
        </li>
        <li>
          It assumes that an invoice that was not tried at such a time would have been paid as often as those
          that were. Those may have differed: treat it as an upper guess, and measure with a holdout.
        </li>
        <li>
          The interval takes each share at the end of its own 95 % interval (Wilson), so that it is wider than
          95 %.
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
        heads={['Days after the failure', 'Refusals before', 'Tried', 'Paid', 'Share']}
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
