/** What customers were sent, the latest first. */
import { z } from 'zod';
import { capitalize } from '../../../../core/base/sentence-case.ts';
import { describeAction, emailKind } from '../../../actions/action-kinds.ts';
import { type EmailSums, type ListedEmail, MOST_COUNTED } from '../../../store/reports/listed-emails.ts';
import type { UndeliverableEmail } from '../../../store/reports/unsent-emails.ts';
import { describeReason } from '../../text/describe-reason.ts';
import { describeEmail, describeEmailState } from '../../text/describe-state.ts';
import { placeParameter } from '../list-place.ts';
import type { Reader } from '../page-reader.ts';
import { CustomerLink } from '../parts/cells.tsx';
import { Moment } from '../parts/moment.tsx';
import { OperationForm } from '../parts/operation-form.tsx';
import { SearchedList, Sums } from '../parts/searched-list.tsx';
import type { Column } from '../parts/wide-table.tsx';

export const emailAddress = z.object({
  q: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e\u00a1-\uffff]{1,255}$/)
    .optional()
    .catch(undefined),
  state: z.enum(['sent', 'unsent']).optional().catch(undefined),
  from: z.iso.date().optional().catch(undefined),
  to: z.iso.date().optional().catch(undefined),
  after: placeParameter,
});
export type EmailQuery = z.output<typeof emailAddress>;

export interface ShownEmails {
  readonly query: EmailQuery;
  readonly emails: readonly ListedEmail[];
  readonly next: string | undefined;
  readonly sums: EmailSums;
  /** Emails that were never written, since they could not go out: the ones that the health counts. */
  readonly undeliverable: readonly UndeliverableEmail[];
  readonly reader: Reader;
  /** The session's token for forms. */
  readonly token: string;
}

export function EmailListView({ query, emails, next, sums, undeliverable, reader, token }: ShownEmails) {
  const shown = {
    count: sums.emails,
    most: MOST_COUNTED,
    one: 'email',
    many: 'emails',
    what: 'of failed invoices',
    amounts: sums.about,
  };
  return (
    <SearchedList
      title="Emails"
      path="emails"
      views={['state', { sent: 'Sent', unsent: 'Not sent' }]}
      aside={<a href={`${reader.root}email-outcomes`}>Results of emails</a>}
      search={{ placeholder: 'Email address, invoice or subscription', maxLength: 255 }}
      filters={[
        { label: 'Invoice failed from', name: 'from', type: 'date', value: query.from },
        { label: 'before', name: 'to', type: 'date', value: query.to },
      ]}
      columns={emailColumns(reader)}
      rows={emails}
      empty={['No email yet.', 'No email matches.']}
      next={next === undefined ? undefined : { after: next }}
      {...{ query, reader }}
    >
      <Sums sums={shown} locale={reader.locale} />
      <OperationForm name="sendTestEmail" {...{ token, reader }} back="emails" fields={{}} />
      {undeliverable.length > 0 && <Undeliverable emails={undeliverable} reader={reader} />}
    </SearchedList>
  );
}

function Undeliverable({ emails, reader }: { emails: readonly UndeliverableEmail[]; reader: Reader }) {
  return (
    <section class="card" id="undeliverable">
      <h2>Could not be sent: {emails.length.toLocaleString(reader.locale)}</h2>
      <ul class="lines">
        {emails.map(({ action, invoiceId, reason, at }) => (
          <li>
            <a href={`${reader.root}invoices/${encodeURIComponent(invoiceId)}`}>
              {capitalize(describeAction(action))}
            </a>
            : {describeReason(reason)}, <Moment at={at} reader={reader} as="short" />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** `isOfOne`: all are of one customer, whom the page is about. */
function emailColumns(reader: Reader): Column<ListedEmail>[] {
  return [
    {
      name: 'Subject',
      cell: (email) => (
        <>
          <a href={`${reader.root}emails/${encodeURIComponent(email.id)}`}>{subjectOf(email)}</a>
          {email.subject !== null && (
            <small>{capitalize(emailKind(email.template)?.words ?? email.template)}</small>
          )}
        </>
      ),
    },
    { name: 'State', cell: ({ state }) => <EmailStateChip state={state} /> },
    {
      name: 'When',
      cell: ({ sentAt, createdAt }) => <Moment at={sentAt ?? createdAt} reader={reader} />,
    },
    {
      name: 'Recipient',
      cell: (email) => <CustomerLink {...email} customerEmail={email.recipient || null} reader={reader} />,
    },
    {
      name: 'About',
      cell: ({ invoiceId, subscriptionId }) => <AboutLink id={invoiceId ?? subscriptionId} reader={reader} />,
    },
  ];
}

export function subjectOf({ subject, template }: Pick<ListedEmail, 'subject' | 'template'>): string {
  return subject ?? capitalize(describeEmail(template));
}

const TONES: ReadonlyMap<string, string> = new Map([
  ['sent', 'good'],
  ['sending', 'info'],
]);

export function EmailStateChip({ state }: { state: string }) {
  return <span class={`chip ${TONES.get(state) ?? 'bad'}`}>{capitalize(describeEmailState(state))}</span>;
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
