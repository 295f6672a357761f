/** The two charts of an assessment. */
import { scaleBand } from 'd3-scale';
import { ChartGrid, ChartLine, roundScale } from '../../http/chart.tsx';
import { type Assessment, type FailedRow, MATURE_DAYS } from '../figures/assessment.ts';

const SIZE = { width: 640, height: 240, left: 76, top: 16, bottom: 34 };
const FRAME = {
  viewBox: `0 0 ${SIZE.left + SIZE.width + 16} ${SIZE.top + SIZE.height + SIZE.bottom}`,
  role: 'img',
  class: 'chart',
} as const;

export const ENDINGS = [
  { name: 'recovered', color: '#14713f' },
  { name: 'open', color: '#c48a10' },
  { name: 'lost', color: '#b3261e' },
] as const;

interface MonthsProps {
  /** Of one currency, oldest first. */
  readonly rows: readonly FailedRow[];
  readonly formatAmount: (amount: number) => string;
}

/** What failed in each month, by what became of it. */
export function MonthsChart({ rows, formatAmount }: MonthsProps) {
  const most = Math.max(1, ...rows.map(({ failed }) => failed.amount));
  const y = roundScale([0, most], [SIZE.height, 0], 4);
  const x = scaleBand(
    rows.map(({ key }) => key),
    [0, SIZE.width],
  ).padding(0.25);
  return (
    <svg {...FRAME} aria-label="Failed renewals by month, and what became of them">
      <g transform={`translate(${SIZE.left} ${SIZE.top})`}>
        <ChartGrid y={y} width={SIZE.width} label={formatAmount} ticks={4} />
        {rows.map((row) => {
          let below = 0;
          return (
            <g>
              {ENDINGS.map(({ name, color }) => {
                const top = y(below + row[name].amount);
                const height = y(below) - top;
                below += row[name].amount;
                return <rect x={x(row.key)} y={top} width={x.bandwidth()} height={height} fill={color} />;
              })}
              <text x={(x(row.key) ?? 0) + x.bandwidth() / 2} y={SIZE.height + 20} text-anchor="middle">
                {row.key.slice(2)}
              </text>
            </g>
          );
        })}
      </g>
    </svg>
  );
}

/** Share of the failed renewals that was recovered by each day. */
export function ReachChart({ causes, total }: Pick<Assessment, 'causes' | 'total'>) {
  const failed = total.reduce((sum, row) => sum + row.failed.invoices + row.young.invoices, 0);
  const byDay = Array.from({ length: MATURE_DAYS + 1 }, (_, day) =>
    failed === 0 ? 0 : (100 * causes.reduce((sum, cause) => sum + (cause.byDay[day] ?? 0), 0)) / failed,
  );
  const x = roundScale([0, MATURE_DAYS], [0, SIZE.width], 6);
  const y = roundScale([0, 100], [SIZE.height, 0], 4);
  return (
    <svg {...FRAME} aria-label="Share of the failed renewals recovered by day after the failure">
      <g transform={`translate(${SIZE.left} ${SIZE.top})`}>
        <ChartGrid y={y} width={SIZE.width} label={(share) => `${share} %`} ticks={4} />
        {x.ticks(6).map((day) => (
          <text x={x(day)} y={SIZE.height + 20} text-anchor="middle">
            {day}
          </text>
        ))}
        <ChartLine values={byDay} x={x} y={y} color="#1f4fd8" />
      </g>
    </svg>
  );
}
