/** Charges of ours, the latest first. */
import { z } from 'zod';
import { capitalize } from '../../../../core/base/sentence-case.ts';
import { formatCard, methodName } from '../../../mails/format-card.ts';
import { type ListedAttempt, listAttempts, sumAttempts } from '../../../store/reports/list-attempts.ts';
import { MOST_COUNTED } from '../../../store/reports/money/sum-failures.ts';
import { describeCode } from '../../text/describe-code.ts';
import {
  after,
  day,
  lenient,
  listPage,
  placeParameter,
  readKey,
  Sums,
  span,
  startOf,
} from '../list-page.tsx';
import { CustomerLink, InvoiceLink, Moment, Money } from '../parts/cells.tsx';
import { type Column, figures } from '../parts/wide-table.tsx';

const OUTCOMES = {
  paid: 'Paid',
  declined: 'Declined',
  requires_action: 'To confirm',
  pending: 'Pending',
} as const;

const COLUMNS: readonly Column<ListedAttempt>[] = [
  { name: 'When', cell: ({ startedAt }) => <Moment at={startedAt} /> },
  {
    name: 'Attempt',
    cell: ({ invoiceId, attemptNumber }) => <InvoiceLink id={invoiceId}>Retry {attemptNumber}</InvoiceLink>,
  },
  { name: 'Customer', cell: CustomerLink },
  {
    name: 'Card',
    cell: ({ brand, last4 }) =>
      last4 === null ? (methodName(brand, null) ?? '–') : formatCard({ brand: brand ?? undefined, last4 }),
  },
  {
    name: 'Result',
    cell: ({ outcome, declineCode, code }) =>
      capitalize(describeCode(declineCode ?? code ?? outcome ?? 'not known')),
  },
  figures('Amount', ({ amount, currency }) =>
    amount === null || currency === null ? '–' : <Money {...{ amount, currency }} />,
  ),
];

export const attemptsPage = listPage({
  title: 'Attempts',
  here: 'invoices',
  path: 'attempts',
  address: z.object({
    from: day,
    to: day,
    outcome: lenient(z.enum(Object.keys(OUTCOMES))),
    after: placeParameter,
  }),
  views: ['outcome', OUTCOMES],
  filters: span('First failed', ''),
  columns: COLUMNS,
  empty: ['No charge yet.', 'No charge matches.'],
  read: async ({ database }, { query: { outcome, ...query }, reader, limit }) => {
    const filter = { outcome, from: startOf(query.from, reader.zone), to: startOf(query.to, reader.zone) };
    const rows = await listAttempts(database, filter, { limit, after: readKey('failed', query.after) });
    const sums = await sumAttempts(database, filter);
    const above = (
      <Sums
        count={sums.reduce((all, { attempts }) => all + attempts, 0)}
        most={MOST_COUNTED}
        noun="attempt"
        what="paid"
        amounts={sums.filter(({ amount }) => amount > 0)}
      />
    );
    return { rows, above };
  },
  next: ({ startedAt, id }) => after({ key: startedAt.toISO(), invoiceId: id }),
});
