import { loadMove } from '../config/config.ts';
import { moveDatabase } from '../setup/move-database.ts';

export async function runMoveDatabase(
  write: (text: string) => unknown = (text) => process.stdout.write(text),
): Promise<number> {
  const places = loadMove();
  let rows = 0;
  await moveDatabase({
    ...places,
    onTable: (table, count) => {
      rows += count;
      if (count > 0) write(`${table}: ${count} rows, the same on both sides\n`);
    },
  });
  write(
    `Moved: ${rows} rows. Start with DATABASE_URL from now on; ${places.directory} is closed to every start, and may be removed.\n`,
  );
  return 0;
}
