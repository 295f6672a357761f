import { DateTime } from 'luxon';
import type { ComponentChild } from 'preact';
import type { Reader } from '../page-reader.ts';
import { Moment } from './moment.tsx';

/** Commands in backquotes, commands of the status, settings by name, the ids of invoices, and moments, as `exactMoment` or ISO 8601. */
const MARKED =
  /`([^`]+)`|(replay --\w+)|\b([A-Z]{2,}(?:_[A-Z]+)+)\b|\b(in_[A-Za-z0-9]{8,})\b|\b(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?( UTC|Z)\b/g;

/** A sentence of the status or of a history: invoices become links, commands look like commands, and times are in the reader's zone. */
export function MarkedWords({ text, reader, as }: { text: string; reader: Reader; as?: 'short' }) {
  const parts: ComponentChild[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKED)) {
    const [whole, quoted, command, setting, invoiceId, day, time, zone] = match;
    parts.push(text.slice(end, match.index));
    parts.push(
      day !== undefined ? (
        as === undefined && reader.zone === 'UTC' && zone === ' UTC' ? (
          whole
        ) : (
          <Moment at={DateTime.fromISO(`${day}T${time}Z`)} reader={reader} {...(as && { as })} />
        )
      ) : invoiceId === undefined ? (
        <code>{quoted ?? command ?? setting}</code>
      ) : (
        <a href={`${reader.root}invoices/${encodeURIComponent(invoiceId)}`}>{invoiceId}</a>
      ),
    );
    end = match.index + whole.length;
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}
