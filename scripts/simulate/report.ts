/** The results as text: what was found, and a table for each world. Markdown, readable as it is. */
import { difference, type Goal, headroom } from './goals.ts';
import type { Result } from './play.ts';
import { average, estimate, formatEstimate } from './statistics.ts';
import {
  FIXED,
  OURS_4,
  OURS_8,
  SMART,
  SPREAD_4,
  SPREAD_8,
  TWO_WEEKS,
  type WorldResults,
} from './tournament.ts';

export function writeReport(all: readonly WorldResults[]): string {
  return [...all.map(writeWorld), writeSummary(all)].filter((part) => part !== '').join('\n\n');
}

const COLUMNS: readonly (readonly [string, (result: Result) => number, digits: number])[] = [
  ['recovered %', ({ recovered }) => recovered, 1],
  ['tries a case', ({ triesPerCase }) => triesPerCase, 2],
  ['tries a retry recovery', ({ triesPerRecovery }) => triesPerRecovery, 2],
  ['days to recovery', ({ days }) => days, 1],
  ['violations', ({ violations }) => violations, 0],
];

function writeWorld(one: WorldResults): string {
  const seeds = Math.max(...[...one.results.values()].map((list) => list.length));
  const rows = [...one.results].map(([name, list]) => [
    name,
    ...COLUMNS.map(([, of, digits]) => formatEstimate(estimate(list.map(of)), digits)),
    formatEstimate(estimate(headroom(one, name)), 0),
  ]);
  const title = `World ${one.world}: ${one.cases} failed invoices, ${seeds} ${seeds === 1 ? 'seed' : 'seeds'}`;
  return `${title}\n\n${writeFinding(one)}\n\n${table(['policy', ...COLUMNS.map(([name]) => name), 'headroom %'], rows)}`;
}

const FOUND: readonly (readonly [name: string, words: string])[] = [
  ['no retry', 'without any retry'],
  [FIXED, 'after 1, 3, 5 and 7 days'],
  [TWO_WEEKS, '8 times in 14 days'],
  [SMART, "8 times in 14 days, as we imagine Stripe's Smart Retries"],
  [OURS_8, 'at the times that this package chooses, 8 times'],
];

/** The table's sense, for whoever has not read its names. */
function writeFinding({ results }: WorldResults): string {
  const lines = FOUND.flatMap(([name, words]) => {
    const list = results.get(name) ?? [];
    if (list.length === 0) return [];
    const share = average(list.map(({ recovered }) => recovered)).toFixed(0);
    const tries = average(list.map(({ triesPerCase }) => triesPerCase));
    const each = tries === 0 ? '' : ` (${tries.toFixed(1)} tries each)`;
    return [`- ${share} % is paid ${words}${each}`];
  });
  return `Of the money that failed:\n\n${lines.join('\n')}`;
}

/** One line for each world: ours against the spread of the same size. */
function writeSummary(all: readonly WorldResults[]): string {
  const names = [OURS_4, SPREAD_4, OURS_8, SPREAD_8];
  const complete = all.filter(({ results }) => names.every((name) => results.has(name)));
  if (complete.length === 0) return '';
  const rows = complete.map((one) => {
    const mean = (name: string, of: (result: Result) => number) =>
      average((one.results.get(name) ?? []).map(of));
    return [
      one.world,
      ...names.map((name) => mean(name, ({ recovered }) => recovered).toFixed(1)),
      formatEstimate(difference(one, OURS_4, SPREAD_4), 2),
      formatEstimate(difference(one, OURS_8, SPREAD_8), 2),
      [OURS_8, SPREAD_8].map((name) => mean(name, ({ triesPerCase }) => triesPerCase).toFixed(2)).join(', '),
    ];
  });
  const compared = ['ours 4 - spread 4', 'ours 8 - spread 8'];
  const head = ['world', ...names, ...compared, 'tries: ours 8, spread 8'];
  return `Recovered, %, and paired differences in points\n\n${table(head, rows)}`;
}

export function writeGoals(goals: readonly Goal[]): string {
  const rows = goals.map(({ what, found, isMet }) => [isMet ? 'met' : 'NOT MET', what, found]);
  return `Goals\n\n${table(['', 'goal', 'found'], rows)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join(
    '\n',
  );
}
