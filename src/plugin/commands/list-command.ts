import { z } from 'zod';
import { ConfigError } from '../../errors.ts';
import { failingInvoicesQuery, listFailingInvoices } from '../../operator/lists/failing-invoices.ts';
import { describeFailingInvoice, toCsv } from '../../operator/lists/failing-invoices-table.ts';
import { print, type ServedCommand } from './served-command.ts';

const formats = z.object({ json: z.boolean().default(false), csv: z.boolean().default(false) });

/** Invoices of which a payment failed. Exit code 0 also if there are none. */
export const list: ServedCommand = async (context, _args, options) => {
  const { json, csv } = formats.parse(options);
  const query = failingInvoicesQuery.safeParse(options);
  if (!query.success)
    throw new ConfigError(
      query.error.issues.map(({ path, message }) => `--${toFlag(path.join('.'))}: ${message}`),
    );
  const page = await context.withStore(({ database, clock }) =>
    listFailingInvoices(database, clock.now(), query.data),
  );
  if (json) return print(context, { code: 0, text: JSON.stringify(page, null, 2) });
  if (csv) return print(context, { code: 0, text: toCsv(page.invoices) });
  const lines = page.invoices.map(describeFailingInvoice);
  const more = page.next === null ? [] : [`more: list --after ${page.next}`];
  return print(context, {
    code: 0,
    text: [...(lines.length > 0 ? lines : ['No such invoice.']), ...more].join('\n'),
  });
};

function toFlag(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
