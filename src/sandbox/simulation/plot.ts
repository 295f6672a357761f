/** Share recovered over the days, and tries used: one SVG, written by hand. */
import { average } from './statistics.ts';
import { drawText } from './stroke-letters.ts';
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

const LINES: readonly (readonly [name: string, color: string, dash: string])[] = [
  [CLAIRVOYANT, '#888888', '2 4'],
  [OURS_8, '#0b6e4f', ''],
  [SPREAD_8, '#0b6e4f', '6 4'],
  [OURS_4, '#1f5fbf', ''],
  [SPREAD_4, '#1f5fbf', '6 4'],
  [SMART, '#c46210', ''],
  [FIXED, '#b00020', ''],
];

const DAYS = 30;
const PANEL = { width: 520, height: 300, left: 60, top: 60, gap: 90 };
const BARS = { top: 470, row: 24, scale: 70, label: 170 };

/** A panel for each world: curves above, tries per case below. */
export function drawPlot(worlds: readonly WorldResults[]): string {
  const width = worlds.length * (PANEL.width + PANEL.gap) + PANEL.left;
  const height = BARS.top + LINES.length * BARS.row + 60;
  const panels = worlds.map((world, index) => {
    const x = PANEL.left + index * (PANEL.width + PANEL.gap);
    return `<g transform="translate(${x} 0)">${drawCurves(world)}${drawBars(world)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    '<title>Timing policies compared on simulated customers</title>',
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    ...panels,
    drawText(
      PANEL.left,
      height - 16,
      'Simulated customers: the figures compare policies, they are not recovery rates.',
    ),
    '</svg>',
  ].join('\n');
}

function drawCurves({ world, results }: WorldResults): string {
  const bottom = PANEL.top + PANEL.height;
  const y = (share: number) => bottom - (share / 80) * PANEL.height;
  const x = (day: number) => (day / DAYS) * PANEL.width;
  const grid = [0, 20, 40, 60, 80].map(
    (share) =>
      `<line x1="0" x2="${PANEL.width}" y1="${y(share)}" y2="${y(share)}" stroke="#dddddd"/>${drawText(-36, y(share) + 4, `${share} %`)}`,
  );
  const days = [0, 5, 10, 15, 20, 25, 30].map((day) => drawText(x(day) - 6, bottom + 20, String(day)));
  const curves = LINES.flatMap(([name, color, dash]) => {
    const list = results.get(name);
    if (!list) return [];
    const points = Array.from({ length: DAYS + 1 }, (_, day) => {
      const share = average(list.map(({ byDay }) => byDay[day] ?? 0));
      return `${x(day).toFixed(1)},${y(share).toFixed(1)}`;
    });
    const dashes = dash === '' ? '' : ` stroke-dasharray="${dash}"`;
    return [
      `<polyline points="${points.join(' ')}" fill="none" stroke="${color}" stroke-width="2"${dashes}/>`,
    ];
  });
  const title = drawText(0, PANEL.top - 24, `World ${world}: share of the failed money recovered, by day`);
  return [title, ...grid, ...days, ...curves].join('');
}

function drawBars({ results }: WorldResults): string {
  const title = drawText(0, BARS.top - 22, 'Tries a case');
  const bars = LINES.flatMap(([name, color, dash], index) => {
    const list = results.get(name);
    if (!list) return [];
    const tries = average(list.map(({ triesPerCase }) => triesPerCase));
    const y = BARS.top + index * BARS.row;
    const bar = `<rect x="${BARS.label}" y="${y - 12}" width="${(tries * BARS.scale).toFixed(1)}" height="14" fill="${color}" fill-opacity="${dash === '' ? 1 : 0.5}"/>`;
    return [drawText(0, y, name), bar, drawText(BARS.label + tries * BARS.scale + 6, y, tries.toFixed(2))];
  });
  return [title, ...bars].join('');
}
