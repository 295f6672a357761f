/** An estimate with its interval over an axis with zero, as static SVG, and in words. Pure. */
import { roundScale } from '../../../core/web/chart.tsx';

export interface Interval {
  /** In percentage points. */
  readonly points: number;
  readonly low: number;
  readonly high: number;
}

const TICKS = 3;
/** Room beside the axis for half a label, in percent of the width. */
const MARGIN = 5;

/** Widths are percentages, so that it fills any page while its letters keep their size; colours are the style sheet's. */
export function IntervalPlot({ points, low, high }: Interval) {
  const scale = roundScale(spread(Math.min(low, 0), Math.max(high, 0)), [MARGIN, 100 - MARGIN], TICKS);
  const x = (value: number) => `${scale(value).toFixed(2)}%`;
  const label = `Difference ${signedPoints(points)} percentage points, 95 % interval ${signedPoints(low)} to ${signedPoints(high)}`;
  return (
    <svg class="plot" role="img" aria-label={label} width="100%" height="96">
      <line class="axis" x1={`${MARGIN}%`} x2={`${100 - MARGIN}%`} y1="68" y2="68" />
      {scale.ticks(TICKS).map((tick) => (
        <g>
          <line class="axis" x1={x(tick)} x2={x(tick)} y1="68" y2="73" />
          <text x={x(tick)} y="89">
            {signedTick(tick)}
          </text>
        </g>
      ))}
      <line class="zero" x1={x(0)} x2={x(0)} y1="10" y2="68" />
      <line class="interval" x1={x(low)} x2={x(high)} y1="42" y2="42" />
      {[low, high].map((end) => (
        <line class="interval" x1={x(end)} x2={x(end)} y1="34" y2="50" />
      ))}
      <circle class="estimate" cx={x(points)} cy="42" r="6" />
      <text class="value" x={x(points)} y="22">
        {signedPoints(points)}
      </text>
    </svg>
  );
}

/** An axis needs some length. */
const spread = (low: number, high: number): [number, number] => (low === high ? [low, low + 1] : [low, high]);

function signedTick(value: number): string {
  return value === 0 ? '0' : `${value > 0 ? '+' : '−'}${Math.abs(value)}`;
}

/** As the report's sentence writes them. */
function signedPoints(points: number): string {
  return `${points >= 0 ? '+' : '−'}${Math.abs(points).toFixed(1)}`;
}
