/** A share that grows day by day, as SVG with real text, drawn on the server. */
import { scaleLinear } from 'd3-scale';

export const CURVE_STYLE = `
.bars { display: block; overflow: visible; }
.bars .rule { stroke: var(--line); }
.bars text { fill: var(--soft); font-size: 12px; }
.bars .tick { text-anchor: end; }
.bars .name { text-anchor: middle; }
.bars .end { fill: var(--action); font-weight: 600; }
.curve { fill: none; stroke: var(--action); stroke-width: 2.5; vector-effect: non-scaling-stroke; }
@media (forced-colors: active) { .bars text { fill: CanvasText; } .bars .rule { stroke: GrayText; } .curve { stroke: CanvasText; } }
@media (max-width: 40rem) { .bars .spare { display: none; } }
`;

const PLOT = { height: 200, top: 12, bottom: 176, left: 12, right: 18 };

export interface ShareCurveProps {
  readonly label: string;
  /** Percent by day, from day 0. */
  readonly values: readonly number[];
  readonly days: number;
}

/** Shares that grow day by day; the end of the curve says what it came to. */
export function ShareCurve({ label, values, days }: ShareCurveProps) {
  const y = scaleLinear([0, Math.max(10, ...values)], [PLOT.bottom, PLOT.top]).nice(4);
  const [low = 0, high = 100] = y.domain();
  const width = 100 - PLOT.left - PLOT.right;
  const last = values.at(-1) ?? 0;
  return (
    <svg class="bars" role="img" aria-label={label} width="100%" height={PLOT.height}>
      {y.ticks(4).map((tick) => (
        <g>
          <line class="rule" x1={`${PLOT.left}%`} x2={`${PLOT.left + width}%`} y1={y(tick)} y2={y(tick)} />
          <text class="tick" x={`${PLOT.left - 1}%`} y={y(tick) + 4}>
            {tick} %
          </text>
        </g>
      ))}
      <svg
        aria-hidden="true"
        x={`${PLOT.left}%`}
        y={PLOT.top}
        width={`${width}%`}
        height={PLOT.bottom - PLOT.top}
        viewBox={`0 0 ${days} 100`}
        preserveAspectRatio="none"
      >
        <polyline
          class="curve"
          points={values
            .map((share, day) => `${day},${(100 - (100 * (share - low)) / (high - low)).toFixed(2)}`)
            .join(' ')}
        />
      </svg>
      <text class="end" x={`${101 - PLOT.right}%`} y={y(last) + 4}>
        {last.toFixed(1)} % paid
      </text>
      {[0, 5, 10, 15, 20, 25, 30].map((day, index) => (
        <text
          class={index % 2 === 0 ? 'name' : 'name spare'}
          x={`${PLOT.left + (width * day) / days}%`}
          y={PLOT.height - 6}
        >
          {day}
        </text>
      ))}
    </svg>
  );
}
