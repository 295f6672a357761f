/** A list as a file for spreadsheets, with all its pages: codes, and words next to them. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { DateTime } from 'luxon';
import { codeOf } from '../../../core/base/errors.ts';
import { minorDigits } from '../../mails/format-money.ts';
import { toCsvCell } from '../lists/failing-invoices-table.ts';

type Cell = string | number | DateTime | null;
export type CsvColumn<Row> = readonly [name: string, value: (row: Row) => Cell];

export interface CsvFile<Row> {
  readonly name: string;
  readonly columns: readonly CsvColumn<Row>[];
  /** What follows a row, or the first ones. */
  readonly list: (after: Row | undefined, limit: number) => Promise<readonly Row[]>;
  /** Whose clocks the times are on. */
  readonly zone: string;
}

const AT_ONCE = 1_000;
/** More lines no spreadsheet takes. */
const MOST = 1_000_000;
const GONE = 'ERR_STREAM_PREMATURE_CLOSE';
/** A spreadsheet would otherwise take UTF-8 for its system's own encoding. */
const BYTE_ORDER_MARK = '\ufeff';

/** No faster than the reader takes it, and no further once the reader is gone. */
export async function sendCsv<Row>(response: Response, file: CsvFile<Row>): Promise<void> {
  response.type('text/csv').attachment(`${file.name}.csv`);
  try {
    await pipeline(Readable.from(listPages(file)), response);
  } catch (error) {
    if (codeOf(error) !== GONE) throw error;
  }
}

async function* listPages<Row>({ columns, list, zone }: CsvFile<Row>): AsyncGenerator<string> {
  const toCell = (value: Cell) =>
    toCsvCell(
      value === null || typeof value !== 'object'
        ? value
        : value.setZone(zone).toISO({ suppressMilliseconds: true }),
    );
  let text = `${BYTE_ORDER_MARK}${columns.map(([name]) => name).join(',')}\r\n`;
  let last: Row | undefined;
  for (let sent = 0; sent < MOST; sent += AT_ONCE) {
    const rows = await list(last, AT_ONCE);
    yield text +
      rows.map((row) => `${columns.map(([, value]) => toCell(value(row))).join(',')}\r\n`).join('');
    text = '';
    last = rows.at(-1);
    if (last === undefined || rows.length < AT_ONCE) return;
  }
}

/** `12.50`, without a currency. */
export function inUnits(amount: number, currency: string): string {
  return (amount / 10 ** minorDigits(currency)).toFixed(minorDigits(currency));
}
