/**
 * A database as a file that any later version reads, for either engine: gzip of JSON lines. Each table begins with a line that
 * describes it (`count`, `checksum`), followed by a line for each row; the last line marks the file as complete.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { isError, PluginError } from '../../core/base/errors.ts';

export const FORMAT = 1;

const column = z.object({ name: z.string(), type: z.string() });
const sequence = z.object({ name: z.string(), last: z.number(), called: z.boolean() });

export const tableHead = z.object({
  schema: z.string(),
  name: z.string(),
  columns: z.array(column),
  condition: z.string(),
  count: z.number(),
  checksum: z.string(),
});
export type TableHead = z.infer<typeof tableHead>;

const head = z.union([
  z.object({ format: z.literal(FORMAT) }),
  z.object({ table: tableHead }),
  z.object({ sequences: z.array(sequence), whole: z.literal(true) }),
]);
type Head = z.infer<typeof head>;

export type Section =
  | { readonly kind: 'table'; readonly table: TableHead; readonly rows: AsyncIterable<readonly string[]> }
  | { readonly kind: 'end'; readonly sequences: readonly z.infer<typeof sequence>[] };

const PORTION = 500;

/**
 * The tables of a file in their order; the rows of each are to be read before the next is asked for. Throws REQUEST_INVALID for a
 * file that is of something else, or that was cut off.
 */
export async function* readDatabaseFile(path: string): AsyncGenerator<Section> {
  const lines = readLines(path);
  const next = async (): Promise<Head> => readHead(path, (await lines.next()).value);
  if (!('format' in (await next()))) throw notOurs(path);
  for (;;) {
    const found = await next();
    if ('whole' in found) {
      yield { kind: 'end', sequences: found.sequences };
      return;
    }
    if (!('table' in found)) throw notOurs(path);
    const rows = readRows(path, lines, found.table.count);
    yield { kind: 'table', table: found.table, rows };
    // Skips a table that was not requested.
    for await (const _portion of rows);
  }
}

async function* readLines(path: string): AsyncGenerator<string, undefined> {
  const text = pipeline(createReadStream(path), createGunzip(), () => {});
  try {
    yield* createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw isError(error) && 'syscall' in error ? error : notOurs(path, error);
  }
  return undefined;
}

async function* readRows(path: string, lines: AsyncGenerator<string, undefined>, count: number) {
  for (let left = count; left > 0; ) {
    const portion: string[] = [];
    while (portion.length < Math.min(PORTION, left)) {
      const { value } = await lines.next();
      if (value === undefined) throw notOurs(path);
      portion.push(value);
    }
    left -= portion.length;
    yield portion;
  }
}

function readHead(path: string, line: string | undefined): Head {
  try {
    return head.parse(JSON.parse(line ?? ''));
  } catch (error) {
    throw notOurs(path, error);
  }
}

function notOurs(path: string, cause?: unknown): PluginError {
  return new PluginError('REQUEST_INVALID', `${path} is not a whole export of this plugin.`, {
    help: 'Export again: a file is there under its name only once it is whole.',
    cause,
  });
}
