/** Parts of charts as SVG with real text, drawn on the server. Colours and fonts are the page's, or stand in the marks. */
import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { type Html, html } from './html.ts';

export type Scale = ScaleLinear<number, number>;

/** From values to places; the domain is widened to round numbers, `ticks` of them at most. */
export function roundScale(
  domain: readonly [number, number],
  range: readonly [number, number],
  ticks: number,
): Scale {
  return scaleLinear().domain(domain).range(range).nice(ticks);
}

export interface LineStyle {
  readonly color: string;
  /** Lengths of dashes and gaps; without them the line is whole. */
  readonly dash?: string;
}

/** A line through values that follow each other by one: days, months. */
export function renderLine(values: readonly number[], x: Scale, y: Scale, { color, dash }: LineStyle): Html {
  const path = line<number>(
    (_, index) => x(index),
    (value) => y(value),
  ).digits(1)(values);
  return html`<path d="${path ?? ''}" fill="none" stroke="${color}" stroke-width="2" stroke-dasharray="${dash ?? 'none'}"/>`;
}

/** Lines across the chart at the ticks of a vertical scale, each with its label to the left. */
export function renderGrid(y: Scale, width: number, label: (value: number) => string, ticks = 5): Html[] {
  return y
    .ticks(ticks)
    .map(
      (tick) =>
        html`<line x1="0" x2="${width}" y1="${y(tick)}" y2="${y(tick)}" stroke="#dddddd"/><text x="-8" y="${y(tick) + 4}" text-anchor="end">${label(tick)}</text>`,
    );
}
