/** What `doctor` finds in the database: opened here, or asked of the process that has the embedded one. Changes nothing. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { type Finding, finding, messageOf } from '../../operator/checks/finding.ts';
import { checkStored } from '../../operator/checks/stored-checks.ts';
import { isLocked } from '../../store/engine/directory-lock.ts';
import { openDatabase } from '../../store/engine/open-database.ts';
import { runServed } from './run-served.ts';

export async function readStoredChecks(config: Config): Promise<Finding[]> {
  const { database: location } = config;
  try {
    if (location.kind === 'embedded') {
      const { directory } = location;
      if (!existsSync(directory))
        return [finding('database', 'problem', `none in ${resolve(directory)} yet`)];
      if (await isLocked(directory)) return await askRunningProcess();
    }
    const database = await openDatabase(location);
    try {
      return await checkStored({ config, database });
    } finally {
      await database.close();
    }
  } catch (error) {
    return [finding('database', 'problem', messageOf(error))];
  }
}

/** Of this program's version, or of an older one that does not know the question and says so. */
const answered = z.array(
  z.custom<Finding>((value) => z.object({ code: z.string() }).safeParse(value).success),
);

async function askRunningProcess(): Promise<Finding[]> {
  let text = '';
  const output = { write: (part: string) => (text += part), isTTY: false, hasColors: false, columns: 80 };
  await runServed('checks', [], {}, { output, interrupted: () => new Promise<void>(() => {}) });
  return answered.parse(JSON.parse(text));
}
