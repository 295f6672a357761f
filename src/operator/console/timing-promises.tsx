/** Whether the odds that the service promised for its retries were kept: by ranges of odds, with the share that was paid. */
import type { KeptPromises } from '../../contract/timing-report.ts';
import { ColumnHeads, numbers } from './parts/column-heads.tsx';
import { WideTable } from './parts/wide-table.tsx';

export function TimingPromises({ retries, paid, brier, deviation, ranges }: KeptPromises) {
  return (
    <>
      <h3>Are the odds right?</h3>
      <WideTable label="Odds promised and kept">
        <caption>
          {retries.toLocaleString('en')} retries with an outcome, {paid.toLocaleString('en')} of them paid
        </caption>
        <ColumnHeads
          columns={['Odds promised', ...numbers('Retries', 'Promised on average', 'Paid', 'Share paid')]}
        />
        <tbody>
          {ranges.map((range) => (
            <tr>
              <th scope="row">
                {Math.round(range.from)} to {Math.round(range.to)} %
              </th>
              <td class="number">{range.retries.toLocaleString('en')}</td>
              <td class="number">{range.promised.toFixed(1)} %</td>
              <td class="number">{range.paid.toLocaleString('en')}</td>
              <td class="number">{((100 * range.paid) / range.retries).toFixed(1)} %</td>
            </tr>
          ))}
        </tbody>
      </WideTable>
      <p class="soft">
        On average the share paid is {deviation.toFixed(1)} points from the odds; Brier score{' '}
        {brier.toFixed(3)} (the lower the better; always saying even odds gives 0.25). Few retries in a row of
        the table say little.
      </p>
    </>
  );
}
