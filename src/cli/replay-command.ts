import { z } from 'zod';
import {
  type CommandResult,
  printResult,
  type Write,
  writeToTerminal,
} from '../operator/text/command-result.ts';
import type { Database } from '../store/engine/database.ts';
import { type ReplayRequest, replay } from '../store/tables/sync/put-back.ts';
import { withDatabase } from './process/with-database.ts';

/** An option with values that may be left out: `true` without them. */
const idList = z.union([z.literal(true), z.array(z.string())]).optional();
const replayOptions = z.object({
  events: idList,
  type: z.string().optional(),
  refused: idList,
  unmapped: idList,
  instructions: idList,
});

/** Puts back what the options name and says how many; a second call finds nothing. */
export async function runReplay(options: unknown, write: Write = writeToTerminal): Promise<number> {
  const request = toRequest(options);
  if (Object.values(request).every((asked) => asked === undefined)) {
    process.stderr.write(
      'Say what to replay: --events [ID…], --type TYPE, --refused [ID…], --unmapped [ID…] or --instructions [ID…].\n',
    );
    return 1;
  }
  return printResult(await withDatabase((database) => reportReplay(database, request)), write);
}

export async function reportReplay(database: Database, request: ReplayRequest): Promise<CommandResult> {
  const { events, refused, unmapped, instructions } = await replay(database, request);
  const lines = [
    ...describe('dead event', 'to be processed again', request.events?.ids, events),
    ...describe('refused record', 'to be delivered again', request.refused?.ids, refused),
    ...describe('unmapped record', 'to be read again', request.unmapped?.ids, unmapped),
    ...describe('failed instruction', 'to be planned again', request.instructions?.ids, instructions),
  ];
  return { code: 0, text: lines.join('\n') };
}

export function toRequest(options: unknown): ReplayRequest {
  const { events, refused, unmapped, instructions, type } = replayOptions.parse(options);
  return {
    events:
      events || type !== undefined
        ? { ...idsOf(events), ...(type === undefined ? {} : { type }) }
        : undefined,
    refused: refused ? idsOf(refused) : undefined,
    unmapped: unmapped ? idsOf(unmapped) : undefined,
    instructions: instructions ? idsOf(instructions) : undefined,
  };
}

function idsOf(given: z.infer<typeof idList>): { ids?: string[] } {
  return Array.isArray(given) ? { ids: given } : {};
}

function describe(
  what: string,
  fate: string,
  asked: readonly string[] | undefined,
  done: readonly string[] | undefined,
): string[] {
  if (done === undefined) return [];
  const skipped = asked?.filter((id) => !done.includes(id)) ?? [];
  return [
    `${done.length} ${what}${done.length === 1 ? '' : 's'} put back, ${fate}`,
    ...skipped.map((id) => `  ${id}: no such ${what}, left alone`),
  ];
}
