/** Parts of charts as SVG with real text, drawn on the server. Colours and fonts are the page's, or stand in the marks. */
import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';

export type Scale = ScaleLinear<number, number>;

/** From values to places; the domain is widened to round numbers, `ticks` of them at most. */
export function roundScale(
  domain: readonly [number, number],
  range: readonly [number, number],
  ticks: number,
): Scale {
  return scaleLinear().domain(domain).range(range).nice(ticks);
}

export interface LineProps {
  /** They follow each other by one: days, months. */
  readonly values: readonly number[];
  readonly x: Scale;
  readonly y: Scale;
  readonly color: string;
  /** Lengths of dashes and gaps; without them the line is whole. */
  readonly dash?: string | undefined;
}

export function ChartLine({ values, x, y, color, dash = 'none' }: LineProps) {
  const path = line<number>(
    (_, index) => x(index),
    (value) => y(value),
  ).digits(1)(values);
  return <path d={path ?? ''} fill="none" stroke={color} stroke-width="2" stroke-dasharray={dash} />;
}

export interface GridProps {
  readonly y: Scale;
  readonly width: number;
  readonly label: (value: number) => string;
  readonly ticks?: number;
}

/** Lines across the chart at the ticks of a vertical scale, each with its label to the left. */
export function ChartGrid({ y, width, label, ticks = 5 }: GridProps) {
  return y.ticks(ticks).map((tick) => (
    <g>
      <line x1="0" x2={width} y1={y(tick)} y2={y(tick)} stroke="#dddddd" />
      <text x="-8" y={y(tick) + 4} text-anchor="end">
        {label(tick)}
      </text>
    </g>
  ));
}

export interface Bar {
  readonly name: string;
  /** From below; each place has a colour of its own, by the classes c0, c1 … */
  readonly values: readonly number[];
}

export interface StackedBarsProps {
  /** What it shows, for those who do not see it. */
  readonly label: string;
  /** Every other name that is shown is `spare`: a narrow page can leave it out. */
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
}

const BARS = { height: 200, top: 12, bottom: 176, left: 12 };
const NAMES = 6;

/** Places across are percentages, so that it fills any page while its letters keep their size. */
export function StackedBars({ label, bars, format }: StackedBarsProps) {
  const most = Math.max(1, ...bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0)));
  const y = roundScale([0, most], [BARS.bottom, BARS.top], 4);
  const step = (100 - BARS.left) / Math.max(1, bars.length);
  const every = Math.ceil(bars.length / NAMES);
  return (
    <svg class="bars" role="img" aria-label={label} width="100%" height={BARS.height}>
      {y.ticks(4).map((tick) => (
        <g>
          <line class="rule" x1={`${BARS.left}%`} x2="100%" y1={y(tick)} y2={y(tick)} />
          <text class="tick" x={`${BARS.left - 1}%`} y={y(tick) + 4}>
            {format(tick)}
          </text>
        </g>
      ))}
      {bars.map(({ name, values }, index) => {
        const x = BARS.left + index * step;
        let below = 0;
        return (
          <g>
            {values.map((value, place) => {
              const [from, to] = [y(below), y(below + value)];
              below += value;
              return value > 0 ? (
                <rect
                  class={`c${place}`}
                  x={`${(x + step * 0.15).toFixed(2)}%`}
                  width={`${(step * 0.7).toFixed(2)}%`}
                  y={to.toFixed(1)}
                  height={(from - to).toFixed(1)}
                >
                  <title>{`${name}: ${format(value)}`}</title>
                </rect>
              ) : null;
            })}
            {index % every === 0 && (
              <text
                class={(index / every) % 2 === 0 ? 'name' : 'name spare'}
                x={`${(x + step / 2).toFixed(2)}%`}
                y={BARS.height - 6}
              >
                {name}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
