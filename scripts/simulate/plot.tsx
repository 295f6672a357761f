/** Share recovered over the days, and tries used, as one SVG. */
import { renderToString } from 'preact-render-to-string';
import { ChartGrid, ChartLine, roundScale } from './chart-parts.tsx';
import { average } from './statistics.ts';
import {
  CLAIRVOYANT,
  FIXED,
  OURS_4,
  OURS_8,
  SMART,
  SPREAD_4,
  SPREAD_8,
  type WorldResults,
} from './tournament.ts';

const LINES: readonly (readonly [name: string, color: string, dash?: string])[] = [
  [CLAIRVOYANT, '#888888', '2 4'],
  [OURS_8, '#0b6e4f'],
  [SPREAD_8, '#0b6e4f', '6 4'],
  [OURS_4, '#1f5fbf'],
  [SPREAD_4, '#1f5fbf', '6 4'],
  [SMART, '#c46210'],
  [FIXED, '#b00020'],
];

const DAYS = 30;
const MOST_PERCENT = 80;
const PANEL = { width: 520, height: 300, left: 60, top: 60, gap: 90 };
const BARS = { top: 470, row: 24, most: 5, label: 170 };

/** A panel for each world: curves above, tries per case below. */
export function drawPlot(worlds: readonly WorldResults[]): string {
  const width = worlds.length * (PANEL.width + PANEL.gap) + PANEL.left;
  const height = BARS.top + LINES.length * BARS.row + 60;
  return renderToString(
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      font-family="sans-serif"
      font-size="13"
      fill="#222222"
    >
      <title>Timing policies compared on simulated customers</title>
      <rect width="100%" height="100%" fill="#ffffff" />
      {worlds.map((world, index) => (
        <g transform={`translate(${PANEL.left + index * (PANEL.width + PANEL.gap)} 0)`}>
          <Curves {...world} />
          <Bars {...world} />
        </g>
      ))}
      <text x={PANEL.left} y={height - 16}>
        Simulated customers: the figures compare policies, they are not recovery rates.
      </text>
    </svg>,
  );
}

function Curves({ world, results }: WorldResults) {
  const bottom = PANEL.top + PANEL.height;
  const x = roundScale([0, DAYS], [0, PANEL.width], 6);
  const y = roundScale([0, MOST_PERCENT], [bottom, PANEL.top], 5);
  return (
    <>
      <text x="0" y={PANEL.top - 24} font-weight="600">
        World {world}: share of the failed money recovered, by day
      </text>
      <ChartGrid y={y} width={PANEL.width} label={(share) => `${share} %`} />
      {x.ticks(6).map((day) => (
        <text x={x(day)} y={bottom + 20} text-anchor="middle">
          {day}
        </text>
      ))}
      {LINES.map(([name, color, dash]) => {
        const list = results.get(name);
        if (!list) return undefined;
        const shares = Array.from({ length: DAYS + 1 }, (_, day) =>
          average(list.map(({ byDay }) => byDay[day] ?? 0)),
        );
        return <ChartLine values={shares} x={x} y={y} color={color} dash={dash} />;
      })}
    </>
  );
}

function Bars({ results }: WorldResults) {
  const x = roundScale([0, BARS.most], [0, PANEL.width - BARS.label - 40], 5);
  return (
    <>
      <text x="0" y={BARS.top - 22} font-weight="600">
        Tries a case
      </text>
      {LINES.map(([name, color, dash], index) => {
        const list = results.get(name);
        if (!list) return undefined;
        const tries = average(list.map(({ triesPerCase }) => triesPerCase));
        const y = BARS.top + index * BARS.row;
        return (
          <g>
            <text x="0" y={y}>
              {name}
            </text>
            <rect
              x={BARS.label}
              y={y - 12}
              width={x(tries).toFixed(1)}
              height="14"
              fill={color}
              fill-opacity={dash === undefined ? 1 : 0.5}
            />
            <text x={BARS.label + x(tries) + 6} y={y}>
              {tries.toFixed(2)}
            </text>
          </g>
        );
      })}
    </>
  );
}
