/** Share recovered over the days, and retries used, as one SVG. */
import { renderToString } from 'preact-render-to-string';
import { ChartGrid, ChartLine, placeNames, roundScale } from './chart-parts.tsx';
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

/** Its words for a merchant, and how it is drawn. */
interface DrawnPolicy {
  readonly name: string;
  readonly words: string;
  readonly color: string;
  readonly dash?: string;
}

const LINES: readonly DrawnPolicy[] = [
  { name: CLAIRVOYANT, words: 'Best possible', color: '#666666', dash: '2 4' },
  { name: OURS_8, words: 'Embedded service, 8 retries', color: '#0b6e4f' },
  { name: SPREAD_8, words: 'Evenly spread, 8 retries', color: '#0b6e4f', dash: '6 4' },
  { name: OURS_4, words: 'Embedded service, 4 retries', color: '#1f5fbf' },
  { name: SPREAD_4, words: 'Evenly spread, 4 retries', color: '#1f5fbf', dash: '6 4' },
  { name: SMART, words: 'Fixed rules, 8 retries in 14 days', color: '#a8500a' },
  { name: FIXED, words: 'Retries on days 1, 3, 5 and 7', color: '#b00020' },
];

const DAYS = 30;
const MOST_PERCENT = 80;
const PANEL = { width: 400, height: 300, left: 60, top: 60, gap: 250 };
const BARS = { top: 470, row: 24, most: 5, label: 215 };

/** A panel for each world: curves above, retries per invoice below. */
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
      <title>Retry schedules compared on simulated customers</title>
      <rect width="100%" height="100%" fill="#ffffff" />
      {worlds.map((world, index) => (
        <g transform={`translate(${PANEL.left + index * (PANEL.width + PANEL.gap)} 0)`}>
          <Curves {...world} />
          <Bars {...world} />
        </g>
      ))}
      <text x={PANEL.left} y={height - 16}>
        Simulated customers: the figures compare schedules, they are not recovery rates.
      </text>
    </svg>,
  );
}

function Curves({ world, results }: WorldResults) {
  const bottom = PANEL.top + PANEL.height;
  const x = roundScale([0, DAYS], [0, PANEL.width], 6);
  const y = roundScale([0, MOST_PERCENT], [bottom, PANEL.top], 5);
  const drawn = LINES.flatMap((line) => {
    const list = results.get(line.name);
    if (!list) return [];
    const byDay = (day: number) => average(list.map((one) => one.byDay[day] ?? 0));
    return [{ ...line, shares: Array.from({ length: DAYS + 1 }, (_, day) => byDay(day)) }];
  });
  const places = placeNames(drawn.map(({ shares }) => y(shares[DAYS] ?? 0)));
  return (
    <>
      <text x="0" y={PANEL.top - 24} font-weight="600">
        World {world}: share of failed amounts recovered, by days since the failure
      </text>
      <ChartGrid y={y} width={PANEL.width} label={(share) => `${share} %`} />
      {x.ticks(6).map((day) => (
        <text x={x(day)} y={bottom + 20} text-anchor="middle">
          {day}
        </text>
      ))}
      {drawn.map(({ words, color, dash, shares }, index) => (
        <g>
          <ChartLine values={shares} x={x} y={y} color={color} dash={dash} />
          <text x={PANEL.width + 8} y={(places[index] ?? 0) + 4} fill={color} font-size="12">
            {`${words}: ${(shares[DAYS] ?? 0).toFixed(1)} %`}
          </text>
        </g>
      ))}
    </>
  );
}

function Bars({ results }: WorldResults) {
  const x = roundScale([0, BARS.most], [0, PANEL.width - BARS.label - 40], 5);
  return (
    <>
      <text x="0" y={BARS.top - 22} font-weight="600">
        Retries per invoice
      </text>
      {LINES.map(({ name, words, color, dash }, index) => {
        const list = results.get(name);
        if (!list) return undefined;
        const tries = average(list.map(({ triesPerCase }) => triesPerCase));
        const y = BARS.top + index * BARS.row;
        return (
          <g>
            <text x="0" y={y}>
              {words}
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
