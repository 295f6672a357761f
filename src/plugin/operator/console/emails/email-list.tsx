/** What customers were sent, the latest first. */
import { z } from 'zod';
import { capitalize } from '../../../../core/base/sentence-case.ts';
import { describeAction, emailKind } from '../../../actions/action-kinds.ts';
import {
  type EmailFilter,
  type ListedEmail,
  listEmails,
  placeOfEmail,
  sumEmails,
} from '../../../store/reports/listed-emails.ts';
import { MOST_COUNTED } from '../../../store/reports/money/sum-failures.ts';
import { listUndeliverableEmails, type UndeliverableEmail } from '../../../store/reports/unsent-emails.ts';
import { describeReason } from '../../text/describe-reason.ts';
import { describeEmail, describeEmailState } from '../../text/describe-state.ts';
import {
  after,
  day,
  lenient,
  listPage,
  oneWord,
  placeParameter,
  readKey,
  Sums,
  span,
  startOf,
} from '../list-page.tsx';
import { Count, CustomerLink, InvoiceLink, Link, Moment, pageOf } from '../parts/cells.tsx';
import { OperationForm } from '../parts/operation-form.tsx';
import type { Column } from '../parts/wide-table.tsx';

const address = z.object({
  q: oneWord,
  state: lenient(z.enum(['sent', 'unsent'])),
  from: day,
  to: day,
  after: placeParameter,
});

const COLUMNS: readonly Column<ListedEmail>[] = [
  {
    name: 'Subject',
    cell: (email) => (
      <>
        <Link to={pageOf('emails', email.id)}>{subjectOf(email)}</Link>
        {email.subject !== null && (
          <small>{capitalize(emailKind(email.template)?.words ?? email.template)}</small>
        )}
      </>
    ),
  },
  { name: 'State', cell: EmailStateChip },
  { name: 'When', cell: ({ sentAt, createdAt }) => <Moment at={sentAt ?? createdAt} /> },
  {
    name: 'Recipient',
    cell: (email) => <CustomerLink {...email} customerEmail={email.recipient || null} />,
  },
  { name: 'About', cell: ({ invoiceId, subscriptionId }) => <AboutLink id={invoiceId ?? subscriptionId} /> },
];

export const emailsPage = listPage({
  title: 'Emails',
  here: 'emails',
  address,
  views: ['state', { sent: 'Sent', unsent: 'Not sent' }],
  aside: () => <Link to="email-outcomes">Results of emails</Link>,
  search: { placeholder: 'Email address, invoice or subscription', maxLength: 255 },
  filters: span('Invoice failed', ''),
  columns: COLUMNS,
  empty: ['No email yet.', 'No email matches.'],
  read: async ({ database }, { query, reader, limit }) => {
    const filter = toFilter(query, reader.zone);
    const rows = await listEmails(database, filter, { limit, after: readKey('failed', query.after) });
    const { emails, about } = await sumEmails(database, filter);
    const undeliverable = query.state === 'unsent' ? await listUndeliverableEmails(database) : [];
    const above = (
      <>
        <Sums count={emails} most={MOST_COUNTED} noun="email" what="of failed invoices" amounts={about} />
        <OperationForm name="sendTestEmail" back="emails" fields={{}} />
        {undeliverable.length > 0 && <Undeliverable emails={undeliverable} />}
      </>
    );
    return { rows, above };
  },
  next: (last) => after(placeOfEmail(last)),
});

/** Searches an id of Stripe's as the email's subject, anything else as its address. */
function toFilter({ q, state, ...days }: z.output<typeof address>, zone: string): EmailFilter {
  const [from, to] = [startOf(days.from, zone), startOf(days.to, zone)];
  const filter = { isSent: state && state === 'sent', failed: from && to ? { from, to } : undefined };
  if (q === undefined) return filter;
  return /^(in|sub)_/.test(q) ? { ...filter, invoice: q } : { ...filter, recipient: q };
}

/** Emails that were never written, since they could not go out: the ones that the health counts. */
function Undeliverable({ emails }: { emails: readonly UndeliverableEmail[] }) {
  return (
    <section class="card" id="undeliverable">
      <h2>
        Could not be sent: <Count of={emails.length} />
      </h2>
      <ul class="lines">
        {emails.map(({ action, invoiceId, reason, at }) => (
          <li>
            <InvoiceLink id={invoiceId}>{capitalize(describeAction(action))}</InvoiceLink>:{' '}
            {describeReason(reason)}, <Moment at={at} as="short" />
          </li>
        ))}
      </ul>
    </section>
  );
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

/** An invoice, or a subscription before its renewal. */
export function AboutLink({ id }: { id: string | null }) {
  if (id === null) return '–';
  const code = <code>{id}</code>;
  return id.startsWith('in_') ? <InvoiceLink id={id}>{code}</InvoiceLink> : code;
}
