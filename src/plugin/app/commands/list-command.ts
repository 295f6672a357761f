import { z } from 'zod';
import { readOptions } from '../../../core/base/command-options.ts';
import { UsageError } from '../../../core/base/errors.ts';
import {
  type FailingInvoicesQuery,
  failingInvoicesQuery,
  listFailingInvoices,
  MOST_ON_PAGE,
} from '../../operator/lists/failing-invoices.ts';
import { csvHead, describeFailingInvoices, toCsvLine } from '../../operator/lists/failing-invoices-table.ts';
import { describeNeedsYou, readNeedsYou } from '../../operator/lists/needs-you.ts';
import { type CommandContext, print, type StoreCommand } from './store-command.ts';

/** Invoices of each cause. */
const EACH = 10;
const EACH_AT_MOST = 100;

const formats = z.object({
  json: z.boolean().default(false),
  csv: z.boolean().default(false),
  limit: z.unknown().optional(),
  needsYou: z.boolean().default(false),
});

/** Failed invoices. Exit code 0 also if there are none. */
export const list: StoreCommand = async (context, _args, options) => {
  const { json, csv, limit, needsYou } = formats.parse(options);
  if (json && csv) throw new UsageError(['--csv: not together with --json']);
  if (needsYou && csv)
    throw new UsageError(['--csv: not together with --needs-you; --need CODE lists one cause']);
  const { hasColors } = context.output;
  const query = readOptions(
    failingInvoicesQuery,
    options,
    ({ path, message }) => `--${toFlag(path.join('.'))}: ${message}`,
  );
  if (needsYou) {
    const each = limit === undefined ? EACH : Math.min(query.limit, EACH_AT_MOST);
    const { answer, now } = await context.withStore(async ({ database, clock }) => {
      const now = clock.now();
      return { answer: await readNeedsYou(database, now, each), now };
    });
    const text = json ? JSON.stringify(answer, null, 2) : describeNeedsYou(answer, { now, hasColors });
    return print(context, { code: 0, text });
  }
  if (csv) {
    await writeCsv(context, query, limit !== undefined);
    return 0;
  }
  const { page, now } = await context.withStore(async ({ database, clock }) => ({
    page: await listFailingInvoices(database, clock.now(), query),
    now: clock.now(),
  }));
  if (json) return print(context, { code: 0, text: JSON.stringify(page, null, 2) });
  const lines = describeFailingInvoices(page.invoices, { now, hasColors });
  const more = page.next === null ? [] : [`more: the same with --after ${page.next}`];
  return print(context, {
    code: 0,
    text: [...(lines.length > 0 ? lines : ['No failed invoice found.']), ...more].join('\n'),
  });
};

/** All of them, unless a page is asked for: a file does not say that it goes on. */
async function writeCsv(
  context: CommandContext,
  query: FailingInvoicesQuery,
  hasLimit: boolean,
): Promise<void> {
  await context.withStore(async ({ database, clock }) => {
    const now = clock.now();
    const { write } = context.output;
    write(csvHead());
    let after = query.after;
    do {
      const limit = hasLimit ? query.limit : MOST_ON_PAGE;
      const page = await listFailingInvoices(database, now, { ...query, limit, after });
      write(page.invoices.map(toCsvLine).join(''));
      after = page.next ?? undefined;
    } while (after !== undefined && !hasLimit);
  });
}

function toFlag(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
