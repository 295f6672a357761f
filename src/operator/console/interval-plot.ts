/** An estimate with its interval over an axis with zero, as static SVG. Pure. */
import { type Html, html } from '../../http/html.ts';

export interface Interval {
  /** In percentage points. */
  readonly points: number;
  readonly low: number;
  readonly high: number;
}

const STEPS = [0.5, 1, 2, 5, 10, 20, 50];
const MOST_TICKS = 6;
/** Room beside the axis for half a label, in percent of the width. */
const MARGIN = 5;

/** Widths are percentages, so that it fills any page while its letters keep their size; colours are the style sheet's. */
export function renderIntervalPlot({ points, low, high }: Interval): Html {
  const ticks = ticksFor(Math.min(low, 0), Math.max(high, 0));
  const [first = 0, last = 1] = [ticks.at(0), ticks.at(-1)];
  const x = (value: number) =>
    `${(MARGIN + ((100 - 2 * MARGIN) * (value - first)) / (last - first)).toFixed(2)}%`;
  const label = `Difference ${signedPoints(points)} percentage points, 95 % interval ${signedPoints(low)} to ${signedPoints(high)}`;
  return html`<svg class="plot" role="img" aria-label="${label}" width="100%" height="96">
<line class="axis" x1="${x(first)}" x2="${x(last)}" y1="68" y2="68"/>
${ticks.map((tick) => html`<line class="axis" x1="${x(tick)}" x2="${x(tick)}" y1="68" y2="73"/><text x="${x(tick)}" y="89">${signedTick(tick)}</text>`)}
<line class="zero" x1="${x(0)}" x2="${x(0)}" y1="10" y2="68"/>
<line class="interval" x1="${x(low)}" x2="${x(high)}" y1="42" y2="42"/>
${[low, high].map((end) => html`<line class="interval" x1="${x(end)}" x2="${x(end)}" y1="34" y2="50"/>`)}
<circle class="estimate" cx="${x(points)}" cy="42" r="6"/>
<text class="value" x="${x(points)}" y="22">${signedPoints(points)}</text>
</svg>`;
}

/** Round numbers around both ends. */
function ticksFor(low: number, high: number): number[] {
  const isFew = (step: number) => Math.ceil(high / step) - Math.floor(low / step) < MOST_TICKS;
  const step = STEPS.find(isFew) ?? 100;
  const from = Math.floor(low / step);
  const to = Math.max(Math.ceil(high / step), from + 1);
  return Array.from({ length: to - from + 1 }, (_, index) => (from + index) * step);
}

function signedTick(value: number): string {
  return value === 0 ? '0' : `${value > 0 ? '+' : '−'}${Math.abs(value)}`;
}

/** As the report's sentence writes them. */
export function signedPoints(points: number): string {
  return `${points >= 0 ? '+' : '−'}${Math.abs(points).toFixed(1)}`;
}
