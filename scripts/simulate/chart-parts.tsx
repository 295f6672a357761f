/** Parts of charts as SVG with real text. */
import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';

type Scale = ScaleLinear<number, number>;

/** Maps values to positions; the domain is widened to round numbers, with `ticks` of them at most. */
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

/** Distance between names of lines that end close together. */
const APART = 15;

/** Places for names of lines: each as near to the end of its line as those below it leave room. */
export function placeNames(ends: readonly number[]): number[] {
  const places: number[] = [];
  let free = Number.POSITIVE_INFINITY;
  for (const index of [...ends.keys()].sort((a, b) => (ends[b] ?? 0) - (ends[a] ?? 0))) {
    places[index] = Math.min(ends[index] ?? 0, free);
    free = (places[index] ?? 0) - APART;
  }
  return places;
}
