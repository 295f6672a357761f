/** The timeline of one invoice, or of all invoices of a customer: newest first, by month. */
import type { ComponentChildren } from 'preact';
import type { TimelineEntry } from '../../text/describe-attempt.ts';
import { useReader } from '../page-reader.ts';
import { InvoiceLink, Link, Moment, pageOf } from '../parts/cells.tsx';
import { MarkedWords } from '../parts/marked-words.tsx';

interface TimelineProps {
  /** Result of `listTimeline`; plans are left out, the next step shows them. */
  readonly entries: readonly TimelineEntry[];
  /** Numbers by id where entries name their invoices; absent on the page of one. */
  readonly numbers?: ReadonlyMap<string, string>;
  /** Content next to the title: a count, or filters. */
  readonly aside?: ComponentChildren;
}

export function Timeline({ entries, numbers, aside }: TimelineProps) {
  const { zone } = useReader();
  const months = new Map<string, TimelineEntry[]>();
  for (const entry of entries) {
    const month = entry.at.setZone(zone).setLocale('en').toFormat('LLLL yyyy');
    if (!entry.isPlan) months.set(month, [...(months.get(month) ?? []), entry]);
  }
  return (
    <section class="card">
      <div class="head">
        <h2>Timeline</h2>
        {aside}
      </div>
      {months.size === 0 && <p class="soft">Nothing has happened yet.</p>}
      {[...months].map(([month, ofMonth]) => (
        <>
          <h3 class="month">{month}</h3>
          <ol class="timeline">
            {ofMonth.map((entry) => (
              <Event {...{ entry, numbers }} />
            ))}
          </ol>
        </>
      ))}
    </section>
  );
}

interface EventProps {
  readonly entry: TimelineEntry;
  readonly numbers: TimelineProps['numbers'];
}

function Event({ entry, numbers }: EventProps) {
  const { at, kind, tone, title, text, details, emailId } = entry;
  return (
    <li class={kind === 'decision' || tone === 'soft' ? undefined : tone}>
      <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
        <circle cx="12" cy="12" r="12" />
        <path d={markOf(entry)} />
      </svg>
      <div>
        <span class="words">
          <MarkedWords text={title} as="short" />
        </span>{' '}
        <Moment at={at} as="short" />
        <div class="text">
          {numbers && <Invoices {...{ entry, numbers }} />}
          <MarkedWords text={text} as="short" />
          {emailId !== undefined && (
            <>
              {text === '' ? '' : '. '}
              <Link to={pageOf('emails', emailId)}>View email</Link>
            </>
          )}
          {details.length > 0 && (
            <details>
              <summary>Details</summary>
              {details.map((detail) => (
                <code>
                  <MarkedWords text={detail} as="short" />
                </code>
              ))}
            </details>
          )}
        </div>
      </div>
    </li>
  );
}

function Invoices({ entry: { invoices, amount }, numbers }: EventProps) {
  return (
    <>
      {invoices.map((id, index) => (
        <>
          {index > 0 && ', '}
          <InvoiceLink id={id}>{numbers?.get(id)}</InvoiceLink>
        </>
      ))}
      {amount === undefined ? '. ' : `, ${amount}. `}
    </>
  );
}

const MARKS: Readonly<Record<TimelineEntry['kind'], string>> = {
  charge: 'M9 9l6 6M15 9l-6 6',
  email: 'M7 8.5h10v7H7zM7 9l5 3.5L17 9',
  dispute: 'M9 17V7.5h6.5l-1.5 2.25 1.5 2.25H9',
  refund: 'M15.5 15.5v-2.5a2 2 0 0 0-2-2H8.500M11 8.500L8.500 11l2.500 2.500',
  decision: 'M8.500 8.500l7 7M12 7a5 5 0 1 1 0 10a5 5 0 1 1 0-10',
};
const CHECK = 'M8 12.500l2.800 2.800L16 9.500';

function markOf({ kind, tone }: TimelineEntry): string {
  return kind === 'charge' && tone === 'good' ? CHECK : MARKS[kind];
}
