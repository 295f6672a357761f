/** Of bars and curves, in the page's colours. Forced colours leave them their patterns and dashes. */
export const CHART_STYLE = `
.chart { max-width: none; }
.bars { display: block; overflow: visible; }
.bars .rule { stroke: var(--line); }
.bars text { fill: var(--soft); font-size: 12px; }
.bars .tick { text-anchor: end; }
.bars .name { text-anchor: middle; }
.bars rect { stroke: var(--card); }
rect.good { fill: var(--good); }
rect.warn { fill: var(--warn); }
rect.bad { fill: var(--bad); }
.hatch { stroke: var(--card); stroke-width: 1.5; fill: none; }
.curve { fill: none; stroke: var(--action); stroke-width: 2.5; vector-effect: non-scaling-stroke; }
.curve.l1 { stroke: var(--soft); stroke-width: 2; stroke-dasharray: 5 4; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-bottom: .5rem; font-size: .875rem; }
.legend .key { vertical-align: -.125rem; margin-right: .25rem; }
@media (forced-colors: active) {
  .bars rect:not(.over), .key rect:not(.over) { fill: CanvasText; stroke: Canvas; }
  .bars text { fill: CanvasText; }
  .bars .rule { stroke: GrayText; }
  .hatch { stroke: Canvas; stroke-width: 2; }
  .curve, .curve.l1 { stroke: CanvasText; }
}
@media (max-width: 40rem) { .bars .spare { display: none; } }
`;
