/** Lines of TypeScript behind each door. Translations, decline tables and generated types are data. */
import { readdirSync, readFileSync } from 'node:fs';

const SRC = new URL('../src/', import.meta.url);
const DATA = [
  /^plugin\/mails\/translations\//,
  /^core\/declines\/(card-declines|method-declines|network-codes)\.ts$/,
  /^plugin\/settings\/schema\/plugin-settings\.ts$/,
];

/** `goal` is the budget. `most` holds where it is not met yet: lower it with the lines you take out. */
const BUDGETS = [
  { name: 'production', doors: ['core', 'plugin', 'service'], goal: 58_000, most: 63_546 },
  { name: 'workbench', doors: ['workbench'], goal: 14_500, most: 15_247 },
  { name: 'cli', doors: ['cli'], goal: 3_200, most: 2_958 },
] as const;

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (path) => /\.tsx?$/.test(path) && !DATA.some((pattern) => pattern.test(path)),
);

function countLines(doors: readonly string[]): number {
  return files
    .filter((path) => doors.some((door) => path.startsWith(`${door}/`)))
    .reduce((all, path) => all + readFileSync(new URL(path, SRC), 'utf8').split('\n').length - 1, 0);
}

test.each(BUDGETS)('$name has no more lines than it had', ({ name, doors, goal, most }) => {
  const lines = countLines(doors);
  const over = lines > goal ? `, ${(lines - goal).toLocaleString('en')} over` : '';
  process.stdout.write(
    `Lines of ${name}: ${lines.toLocaleString('en')} of ${goal.toLocaleString('en')}${over}\n`,
  );
  expect(lines).toBeGreaterThan(goal / 2);
  expect(lines).toBeLessThanOrEqual(most);
});
