/** Rows in columns for a terminal; in colors where it shows them (the caller knows NO_COLOR). Pure. */

import { stripVTControlCharacters } from 'node:util';

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'soft';

export interface TextCell {
  readonly text: string;
  readonly tone?: Tone | undefined;
  /** Its last digits stand below each other. */
  readonly isNumber?: boolean;
}

const COLORS: Readonly<Record<Tone, readonly [on: number, off: number]>> = {
  good: [32, 39],
  bad: [31, 39],
  warn: [33, 39],
  info: [36, 39],
  soft: [2, 22],
};

export function paint(text: string, tone: Tone | undefined, hasColors: boolean): string {
  if (tone === undefined || !hasColors || text === '') return text;
  const [on, off] = COLORS[tone];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

/** The last column is as wide as it is. */
export function alignColumns(rows: readonly (readonly TextCell[])[], hasColors: boolean): string[] {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map(({ text }, column) => Math.max(widthOf(text), most[column] ?? 0)),
    [],
  );
  return rows.map((row) =>
    row
      .map(({ text, tone, isNumber = false }, column) => {
        const space = ' '.repeat((widths[column] ?? 0) - widthOf(text));
        const shown = paint(text, tone, hasColors);
        if (isNumber) return space + shown;
        return column === row.length - 1 ? shown : shown + space;
      })
      .join('  ')
      .trimEnd(),
  );
}

/** Breaks long lines between words, so that a terminal does not break them within; the rest is indented by four more. */
export function foldLines(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  return text
    .split('\n')
    .flatMap((line) => foldLine(line, columns))
    .join('\n');
}

function foldLine(line: string, columns: number): string[] {
  const indent = `${/^ */.exec(line)?.[0] ?? ''}    `;
  const folded: string[] = [];
  let current = '';
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    const longer = current === '' ? word : `${current} ${word}`;
    const isFull = current !== '' && widthOf(longer) > columns;
    if (isFull) folded.push(current);
    current = isFull ? indent + word : longer;
  }
  return [...folded, current];
}

/** Cuts a text to this many columns of a terminal. */
export function clip(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let shown = '';
  for (const { segment } of new Intl.Segmenter('en').segment(text)) {
    if (widthOf(shown + segment) >= columns) break;
    shown += segment;
  }
  return `${shown}…`;
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u;

/** Counts columns of a terminal: characters of East Asia take two, colors none. */
export function widthOf(text: string): number {
  const characters = Array.from(
    new Intl.Segmenter('en').segment(stripVTControlCharacters(text)),
    ({ segment }) => segment,
  );
  return characters.reduce((width, character) => width + (WIDE.test(character) ? 2 : 1), 0);
}
