/** What work reads as the tables grow, as one SVG: a line for each kind of work, with its name at the end. */
import { renderToString } from 'preact-render-to-string';
import { ChartGrid, ChartLine, placeNames, roundScale } from '../simulate/chart-parts.tsx';

export interface GrowthLine {
  readonly name: string;
  /** Pages of 8 kB, at each size. */
  readonly pages: readonly number[];
}

const PANEL = { width: 400, height: 230, left: 56, top: 16, bottom: 30, names: 340 };
const COLORS = ['#0b6e4f', '#1f5fbf', '#b00020', '#c46210', '#6a3fa0', '#00809a', '#666666'];

export function drawGrowth(sizes: readonly number[], lines: readonly GrowthLine[]): string {
  const last = sizes.length - 1;
  const x = roundScale([0, last], [0, PANEL.width], last);
  const y = roundScale([0, Math.max(...lines.flatMap(({ pages }) => pages))], [PANEL.height, 0], 5);
  const places = placeNames(lines.map(({ pages }) => y(pages[last] ?? 0)));
  const width = PANEL.left + PANEL.width + PANEL.names;
  const height = PANEL.top + PANEL.height + PANEL.bottom;
  return renderToString(
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      font-family="sans-serif"
      font-size="12"
    >
      <title>Pages of 8 kB that a piece of work reads, by the number of stored events</title>
      <rect width="100%" height="100%" fill="#ffffff" />
      <g transform={`translate(${PANEL.left} ${PANEL.top})`}>
        <ChartGrid y={y} width={PANEL.width} label={(value) => value.toLocaleString('en')} />
        {sizes.map((size, index) => (
          <text x={x(index)} y={PANEL.height + 20} text-anchor="middle">
            {size.toLocaleString('en')}
          </text>
        ))}
        {lines.map(({ name, pages }, index) => {
          const color = COLORS[index % COLORS.length] ?? '#000000';
          return (
            <g>
              <ChartLine values={pages} x={x} y={y} color={color} />
              <text x={PANEL.width + 14} y={(places[index] ?? 0) + 4} fill={color}>
                {`${name}: ${(pages[last] ?? 0).toLocaleString('en')}`}
              </text>
            </g>
          );
        })}
      </g>
    </svg>,
  );
}
