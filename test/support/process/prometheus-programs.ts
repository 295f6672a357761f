/** Debian's package `prometheus` has both programs. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

type Program = 'prometheus' | 'promtool';

/** Where PROMETHEUS or PROMTOOL says, or on the path. Undefined if this machine has none. */
export function findPrometheus(program: Program): string | undefined {
  const folders = process.env.PATH?.split(delimiter) ?? [];
  const given = process.env[program.toUpperCase()];
  return [...(given ? [given] : []), ...folders.map((folder) => join(folder, program))].find(existsSync);
}

/** In place of `test`, where the program is installed. Elsewhere a skipped test says so. */
export function withPrometheus(
  needed: Program,
  title: string,
  tell: (program: string) => void | Promise<void>,
): void {
  const program = findPrometheus(needed);
  if (program)
    test(title, async () => {
      await tell(program);
    });
  else
    test.skip(`${title}: this machine has no ${needed} (apt-get install prometheus, or ${needed.toUpperCase()})`, () => {});
}
