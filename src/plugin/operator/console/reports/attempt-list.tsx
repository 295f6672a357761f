/** Charges of ours, the latest first. */
import { z } from 'zod';
import { orUnavailable } from '../../../../core/base/errors.ts';
import { capitalize } from '../../../../core/base/sentence-case.ts';
import { formatCard, methodName } from '../../../mails/format-card.ts';
import { formatMoney } from '../../../mails/format-money.ts';
import { type ListedAttempt, listAttempts, sumAttempts } from '../../../store/reports/list-attempts.ts';
import { MOST_COUNTED } from '../../../store/reports/money/month-cost.ts';
import { refreshForReader } from '../../../store/reports/money/refresh-failures.ts';
import { describeCode } from '../../text/describe-code.ts';
import { startOf } from '../invoices/invoice-query.ts';
import { cutPage, placeParameter, readKey } from '../list-place.ts';
import { type Page, ROWS } from '../page-answer.ts';
import type { Reader } from '../page-reader.ts';
import { CustomerLink } from '../parts/cells.tsx';
import { Moment } from '../parts/moment.tsx';
import { SearchedList, Sums } from '../parts/searched-list.tsx';
import type { Column } from '../parts/wide-table.tsx';

const day = z.iso.date().optional().catch(undefined);
const OUTCOMES = {
  paid: 'Paid',
  declined: 'Declined',
  requires_action: 'To confirm',
  pending: 'Pending',
} as const;
const outcome = z.enum(Object.keys(OUTCOMES)).optional().catch(undefined);
const address = z.object({ from: day, to: day, outcome, after: placeParameter });

export const attemptsPage: Page = async ({ database }, { request, reader }) => {
  const query = address.parse(request.query);
  await orUnavailable(refreshForReader(database));
  const filter = {
    from: startOf(query.from, reader.zone),
    to: startOf(query.to, reader.zone),
    outcome: query.outcome,
  };
  const page = { limit: ROWS + 1, after: readKey('failed', query.after) };
  const found = await orUnavailable(listAttempts(database, filter, page));
  const sums = await orUnavailable(sumAttempts(database, filter));
  const { rows, next } = cutPage(found, ({ startedAt, id }) => `${startedAt.toISO()}~${id}`);
  const main = (
    <SearchedList
      title="Attempts"
      path="attempts"
      views={['outcome', OUTCOMES]}
      filters={[
        { label: 'First failed from', name: 'from', type: 'date', value: query.from },
        { label: 'before', name: 'to', type: 'date', value: query.to },
      ]}
      columns={attemptColumns(reader)}
      rows={rows}
      empty={['No charge yet.', 'No charge matches.']}
      next={next === undefined ? undefined : { after: next }}
      {...{ query, reader }}
    >
      <Sums
        sums={{
          count: sums.reduce((all, { attempts }) => all + attempts, 0),
          most: MOST_COUNTED,
          one: 'attempt',
          many: 'attempts',
          what: 'paid',
          amounts: sums.filter(({ amount }) => amount > 0),
        }}
        locale={reader.locale}
      />
    </SearchedList>
  );
  return { title: 'Attempts', here: 'invoices', isLive: true, main };
};

function attemptColumns(reader: Reader): Column<ListedAttempt>[] {
  return [
    { name: 'When', cell: ({ startedAt }) => <Moment at={startedAt} reader={reader} /> },
    {
      name: 'Attempt',
      cell: ({ invoiceId, attemptNumber }) => (
        <a href={`${reader.root}invoices/${encodeURIComponent(invoiceId)}`}>Retry {attemptNumber}</a>
      ),
    },
    { name: 'Customer', cell: (attempt) => <CustomerLink {...attempt} reader={reader} /> },
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
    {
      name: 'Amount',
      isNumber: true,
      cell: ({ amount, currency }) =>
        amount === null || currency === null ? '–' : formatMoney(amount, currency, reader.locale),
    },
  ];
}
