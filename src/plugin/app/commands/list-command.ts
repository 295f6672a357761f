import { z } from 'zod';
import { readOptions } from '../../../core/base/command-options.ts';
import { UsageError } from '../../../core/base/errors.ts';
import {
  type FailingInvoicesQuery,
  failingInvoicesQuery,
  listFailingInvoices,
  MOST_ON_PAGE,
  sumFailingInvoices,
} from '../../operator/lists/failing-invoices.ts';
import { csvHead, describeFailingInvoices, toCsvLine } from '../../operator/lists/failing-invoices-table.ts';
import { describeNeedsAttention, readNeedsAttention } from '../../operator/lists/needs-attention.ts';
import { money } from '../../operator/text/describe-code.ts';
import { foldLines } from '../../operator/text/text-table.ts';
import type { ListedSum } from '../../store/reports/money/list-failures.ts';
import { type CommandContext, columnsOf, print, type StoreCommandRow } from './store-command.ts';

/** Invoices of each cause. */
const EACH = 10;
const EACH_AT_MOST = 100;

const formats = z.object({
  json: z.boolean().default(false),
  csv: z.boolean().default(false),
  limit: z.unknown().optional(),
  needsAttention: z.boolean().default(false),
});

/** Failed invoices. Exit code 0 also if there are none. */
export const list: StoreCommandRow = {
  group: 'Operate',
  name: 'list',
  description: 'list failed invoices, as a table, JSON or CSV',
  options: [
    ['--search <words>', 'words of a name, an email address or an id'],
    ['--customer <id>', 'only this customer'],
    ['--email <address>', 'only the customer with this address, or its beginning'],
    ['--subscription <id>', 'only this subscription'],
    ['--state <state>', 'open, waiting (for the customer or a person), recovered or lost'],
    ['--needs-attention', 'invoices that need attention, by cause (--limit: of each)'],
    ['--need <code>', 'only invoices that need attention for this cause'],
    ['--standing <name>', 'unpaid, retry, asked, needs_attention, stopped, waiting, recovered or lost'],
    ['--reason <code>', 'only invoices whose latest failure has this code'],
    ['--currency <code>', 'only this currency'],
    ['--min-amount <n>', "the smallest amount, in the currency's smallest unit"],
    ['--min-days <n>', 'first failed at least n days ago'],
    ['--max-days <n>', 'first failed at most n days ago'],
    ['--sort <name>', 'failed (latest first), amount or next (soonest action first)'],
    ['--limit <n>', 'how many (50, at most 500; with --csv all)'],
    ['--after <token>', 'the next page, as named by the page before'],
    ['--json', 'print it as JSON'],
    ['--csv', 'print it as CSV'],
  ],
  environment: 'database',
  examples: [
    'list',
    'list --needs-attention',
    'list --state waiting --sort amount --currency eur',
    'list --email ada@ --csv > failing.csv',
  ],
  run: async (context, _args, options) => {
    const { json, csv, limit, needsAttention } = formats.parse(options);
    if (json && csv) throw new UsageError(['--csv: not together with --json']);
    if (needsAttention && csv)
      throw new UsageError(['--csv: not together with --needs-attention; --need CODE lists one cause']);
    const { hasColors } = context.output;
    const columns = columnsOf(context.output);
    const query = readOptions(
      failingInvoicesQuery,
      options,
      ({ path, message }) => `--${toFlag(path.join('.'))}: ${message}`,
    );
    if (needsAttention) {
      const each = limit === undefined ? EACH : Math.min(query.limit, EACH_AT_MOST);
      return context.withStore(async ({ database, clock }) => {
        const now = clock.now();
        const answer = await readNeedsAttention(database, now, each);
        if (json) return print(context, JSON.stringify(answer, null, 2));
        const text = describeNeedsAttention(answer, { now, hasColors, columns });
        return print(context, foldLines(text, columns));
      });
    }
    if (csv) {
      await writeCsv(context, query, limit !== undefined);
      return 0;
    }
    const { page, sums, now } = await context.withStore(async ({ database, clock }) => {
      const now = clock.now();
      const page = await listFailingInvoices(database, now, query);
      return { page, sums: json ? [] : await sumFailingInvoices(database, now, query), now };
    });
    if (json) return print(context, JSON.stringify(page, null, 2));
    const lines = describeFailingInvoices(page.invoices, { now, hasColors, columns });
    const total = sums?.map(describeSum).join(', ');
    if (lines.length === 0) lines.push('No failed invoice found.');
    if (total) lines.push(foldLines(`Total: ${total}`, columns));
    if (page.next !== null) lines.push(`more: the same with --after ${page.next}`);
    return print(context, lines.join('\n'));
  },
};

/** `3 invoices, $110.00`, of one currency. */
function describeSum({ invoices, amount, currency }: ListedSum): string {
  return `${invoices} ${invoices === 1 ? 'invoice' : 'invoices'}, ${money(amount, currency)}`;
}

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
