/** What the timing is worth in money of one currency: both sides' sums, and the difference as far as they show one. */
import type { TimingReport } from '../../contract/timing-report.ts';
import { formatMoney } from '../../email/format-money.ts';
import { IntervalFigure } from './interval-plot.tsx';
import { WideTable } from './parts/cells.tsx';
import { ColumnHeads, numbers } from './parts/column-heads.tsx';

type Compared = NonNullable<TimingReport['money']>[number];

export function TimingMoney({ currency, timed, difference, locale, ...rest }: Compared & { locale: string }) {
  const show = (amount: number) => formatMoney(amount, currency, locale);
  return (
    <>
      <WideTable label={`In money (${currency})`}>
        <caption>The same in money ({currency})</caption>
        <ColumnHeads columns={['Times from', ...numbers('Closed cases', 'At stake', 'Recovered', 'Share')]} />
        <tbody>
          <Side name="the policy" sums={timed} show={show} />
          <Side name="static schedule" sums={rest.static} show={show} />
        </tbody>
      </WideTable>
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

interface SideFacts {
  readonly name: string;
  readonly sums: Compared['timed'];
  readonly show: (amount: number) => string;
}

function Side({ name, sums: { cases, amount, recovered }, show }: SideFacts) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="number">{cases.toLocaleString('en')}</td>
      <td class="number">{show(amount)}</td>
      <td class="number">{show(recovered)}</td>
      <td class="number">{amount === 0 ? '–' : `${((100 * recovered) / amount).toFixed(1)} %`}</td>
    </tr>
  );
}
