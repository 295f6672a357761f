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
  /** From below; each place has a look of its own. */
  readonly values: readonly number[];
}

export interface StackedBarsProps {
  /** Of the chart, on its page; its keys name it. */
  readonly id: string;
  /** What it shows, for those who do not see it. */
  readonly label: string;
  /** Every other name that is shown is `spare`: a narrow page can leave it out. */
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
  /** The class of each place, which colours it. */
  readonly classes?: readonly string[];
}

const COLORS = ['c0', 'c1', 'c2', 'c3', 'c4'];
/** What became of money: back, still open, lost. */
export const FATES = ['good', 'warn', 'bad'] as const;

/** Over the colours, so that they can be told apart without them. */
const HATCHES = ['', 'M0 6 6 0M-1 1 1-1M5 7 7 5', 'M3 0V6', 'M0 3H6', 'M0 0 6 6M0 6 6 0'];

const BARS = { height: 200, top: 12, bottom: 176, left: 12 };
const NAMES = 6;

/** Places across are percentages, so that it fills any page while its letters keep their size. */
export function StackedBars({ id, label, bars, format, classes = COLORS }: StackedBarsProps) {
  const most = Math.max(1, ...bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0)));
  const y = roundScale([0, most], [BARS.bottom, BARS.top], 4);
  const step = (100 - BARS.left) / Math.max(1, bars.length);
  const every = Math.ceil(bars.length / NAMES);
  return (
    <svg class="bars" role="img" aria-label={label} width="100%" height={BARS.height}>
      <defs>
        {HATCHES.map((path, place) => (
          <pattern id={`${id}-${place}`} width="6" height="6" patternUnits="userSpaceOnUse">
            <path class="hatch" d={path} />
          </pattern>
        ))}
      </defs>
      <Rules y={y} format={format} />
      {bars.map(({ name, values }, index) => {
        const x = BARS.left + index * step;
        let below = 0;
        return (
          <g>
            {values.map((value, place) => {
              const [from, to] = [y(below), y(below + value)];
              below += value;
              const size = {
                x: `${(x + step * 0.15).toFixed(2)}%`,
                width: `${(step * 0.7).toFixed(2)}%`,
                y: to.toFixed(1),
                height: (from - to).toFixed(1),
              };
              return value > 0 ? (
                <>
                  <rect class={classes[place]} {...size}>
                    <title>{`${name}: ${format(value)}`}</title>
                  </rect>
                  {place > 0 && <rect class="over" {...size} fill={`url(#${id}-${place})`} />}
                </>
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

/** Of a place of the chart with the id, as it looks there. */
export function BarKey({
  id,
  place,
  classes = COLORS,
}: {
  id: string;
  place: number;
  classes?: readonly string[];
}) {
  const size = { width: 14, height: 14 };
  return (
    <svg class="key" {...size} aria-hidden="true">
      <rect class={classes[place]} {...size} />
      {place > 0 && <rect class="over" {...size} fill={`url(#${id}-${place})`} />}
    </svg>
  );
}

function Rules({ y, format }: { y: Scale; format: (value: number) => string }) {
  return y.ticks(4).map((tick) => (
    <g>
      <line class="rule" x1={`${BARS.left}%`} x2="100%" y1={y(tick)} y2={y(tick)} />
      <text class="tick" x={`${BARS.left - 1}%`} y={y(tick) + 4}>
        {format(tick)}
      </text>
    </g>
  ));
}

export interface ShareCurvesProps {
  readonly label: string;
  /** Percent by day, from day 0; the first one is whole, others are dashed. */
  readonly lines: readonly (readonly number[])[];
  readonly days: number;
}

/** Shares that grow day by day. */
export function ShareCurves({ label, lines, days }: ShareCurvesProps) {
  const y = roundScale([0, Math.max(10, ...lines.flat())], [BARS.bottom, BARS.top], 4);
  const [low = 0, high = 100] = y.domain();
  const width = 100 - BARS.left;
  return (
    <svg class="bars" role="img" aria-label={label} width="100%" height={BARS.height}>
      <Rules y={y} format={(share) => `${share} %`} />
      <svg
        aria-hidden="true"
        x={`${BARS.left}%`}
        y={BARS.top}
        width={`${width}%`}
        height={BARS.bottom - BARS.top}
        viewBox={`0 0 ${days} 100`}
        preserveAspectRatio="none"
      >
        {lines.map((values, index) => (
          <polyline
            class={`curve l${index}`}
            points={values
              .map((share, day) => `${day},${(100 - (100 * (share - low)) / (high - low)).toFixed(2)}`)
              .join(' ')}
          />
        ))}
      </svg>
      {[0, 5, 10, 15, 20, 25, 30]
        .filter((day) => day <= days)
        .map((day, index) => (
          <text
            class={index % 2 === 0 ? 'name' : 'name spare'}
            x={`${BARS.left + (width * day) / days - (day === days ? 2 : 0)}%`}
            y={BARS.height - 6}
          >
            {day}
          </text>
        ))}
    </svg>
  );
}

/** Of a line of the curves. */
export function CurveKey({ place }: { place: number }) {
  return (
    <svg class="key" width="28" height="14" aria-hidden="true">
      <line class={`curve l${place}`} x1="0" x2="28" y1="7" y2="7" />
    </svg>
  );
}
