/** What customers were sent, the latest first. */
import { mailKind } from '../../../contract/action-kinds.ts';
import { capitalize } from '../../../kit/sentence-case.ts';
import { type ListedMail, type MailSort, type MailSums, MOST_COUNTED } from '../../../store/reports/mails.ts';
import { describeMail, describeMailState } from '../../text/describe-state.ts';
import type { Reader } from '../page-reader.ts';
import { CustomerLink } from '../parts/cells.tsx';
import { Moment } from '../parts/moment.tsx';
import { SearchedList, sortingOf } from '../parts/searched-list.tsx';
import { type Column, WideTable } from '../parts/wide-table.tsx';

export interface MailQuery {
  readonly q?: string | undefined;
  readonly state?: 'unsent' | undefined;
  readonly after?: string | undefined;
  readonly sort: MailSort;
  readonly order?: 'reversed' | undefined;
}

export interface ShownMails {
  readonly query: MailQuery;
  readonly mails: readonly ListedMail[];
  readonly next: string | undefined;
  readonly sums: MailSums;
  readonly reader: Reader;
}

export function MailListView({ query, mails, next, sums, reader }: ShownMails) {
  return (
    <SearchedList
      title="Mails"
      path="mails"
      view={{ state: 'unsent', name: 'Not sent' }}
      aside={<a href={`${reader.root}mail-outcomes`}>What the mails bring</a>}
      search={{ placeholder: 'E-mail address, invoice or subscription', maxLength: 255 }}
      sums={{
        ...{ count: sums.mails, most: MOST_COUNTED, one: 'mail', many: 'mails' },
        ...{ what: 'of failed invoices', amounts: sums.about },
      }}
      {...{ query, next, reader }}
    >
      {mails.length === 0 ? (
        <p class="soft empty">
          {query.q === undefined && query.state === undefined ? 'No mail yet.' : 'No mail matches.'}
        </p>
      ) : (
        <MailTable mails={mails} reader={reader} query={query} />
      )}
    </SearchedList>
  );
}

interface MailTableProps extends Pick<ShownMails, 'mails' | 'reader'> {
  /** Of the list; without it all are of one customer, whom the page is about. */
  readonly query?: MailQuery;
}

export function MailTable({ mails, reader, query }: MailTableProps) {
  const columns = columnsFor(reader).filter(({ sort }) => sort !== 'recipient' || query !== undefined);
  const sorting = query && sortingOf('mails', query, reader);
  return <WideTable label="Mails" isStacked rows={mails} {...{ columns, sorting }} />;
}

function columnsFor(reader: Reader): Column<ListedMail, MailSort>[] {
  return [
    {
      ...{ name: 'Subject', sort: 'subject' },
      cell: (mail) => (
        <>
          <a href={`${reader.root}mails/${encodeURIComponent(mail.id)}`}>{subjectOf(mail)}</a>
          {mail.subject !== null && (
            <small>{capitalize(mailKind(mail.template)?.words ?? mail.template)}</small>
          )}
        </>
      ),
    },
    { name: 'State', sort: 'state', cell: ({ state }) => <MailStateChip state={state} /> },
    {
      ...{ name: 'When', sort: 'when', isDescending: true },
      cell: ({ sentAt, createdAt }) => <Moment at={sentAt ?? createdAt} reader={reader} />,
    },
    {
      ...{ name: 'Recipient', sort: 'recipient' },
      cell: (mail) => <CustomerLink {...mail} customerEmail={mail.recipient || null} reader={reader} />,
    },
    {
      ...{ name: 'About', sort: 'about' },
      cell: ({ invoiceId, subscriptionId }) => <AboutLink id={invoiceId ?? subscriptionId} reader={reader} />,
    },
  ];
}

export function subjectOf({ subject, template }: Pick<ListedMail, 'subject' | 'template'>): string {
  return subject ?? capitalize(describeMail(template));
}

const TONES: ReadonlyMap<string, string> = new Map([
  ['sent', 'good'],
  ['sending', 'info'],
]);

export function MailStateChip({ state }: { state: string }) {
  return <span class={`chip ${TONES.get(state) ?? 'bad'}`}>{capitalize(describeMailState(state))}</span>;
}

export function AboutLink({ id, reader }: { id: string | null; reader: Reader }) {
  if (id === null) return '–';
  if (!id.startsWith('in_')) return <code>{id}</code>;
  return (
    <a href={`${reader.root}invoices/${encodeURIComponent(id)}`}>
      <code>{id}</code>
    </a>
  );
}
