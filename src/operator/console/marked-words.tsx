import type { ComponentChild } from 'preact';

/** Commands in backquotes, commands of the status, settings by name, and the ids of invoices. */
const MARKED = /`([^`]+)`|(replay --\w+)|\b([A-Z]{2,}(?:_[A-Z]+)+)\b|\b(in_[A-Za-z0-9]{8,})\b/g;

/** A sentence of the status or of a history: invoices are links, what is typed somewhere looks like it. */
export function MarkedWords({ text, root }: { text: string; root: string }) {
  const parts: ComponentChild[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKED)) {
    const [whole, quoted, command, setting, invoiceId] = match;
    parts.push(text.slice(end, match.index));
    parts.push(
      invoiceId === undefined ? (
        <code>{quoted ?? command ?? setting}</code>
      ) : (
        <a href={`${root}invoices/${encodeURIComponent(invoiceId)}`}>{invoiceId}</a>
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
