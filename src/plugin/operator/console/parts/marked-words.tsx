import { DateTime } from 'luxon';
import type { ComponentChild } from 'preact';
import { useReader } from '../page-reader.ts';
import { InvoiceLink, Moment } from './cells.tsx';

/** Commands in backquotes, commands of the status, settings by name, the ids of invoices, and moments, as `exactMoment` or ISO 8601. */
const MARKED =
  /`([^`]+)`|(replay --\w+)|\b([A-Z]{2,}(?:_[A-Z]+)+)\b|\b(in_[A-Za-z0-9]{8,})\b|\b(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?( UTC|Z)\b/g;

/** A sentence of the status or of a history: invoices become links, commands look like commands, and times are in the reader's zone. */
export function MarkedWords({ text, as }: { text: string; as?: 'short' }) {
  const isUtc = useReader().zone === 'UTC';
  const parts: ComponentChild[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKED)) {
    const [whole, quoted, command, setting, invoiceId, day, time, zone] = match;
    parts.push(text.slice(end, match.index));
    if (invoiceId !== undefined) parts.push(<InvoiceLink id={invoiceId} />);
    else if (day === undefined) parts.push(<code>{quoted ?? command ?? setting}</code>);
    else if (as === undefined && isUtc && zone === ' UTC') parts.push(whole);
    else parts.push(<Moment at={DateTime.fromISO(`${day}T${time}Z`)} as={as} />);
    end = match.index + whole.length;
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}
