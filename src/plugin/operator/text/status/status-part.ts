import type { DateTime } from 'luxon';
import type { WorkStatus } from '../../../store/reports/work-status.ts';

/** More of one kind are counted, not listed. */
const LISTED = 20;

export interface StatusPart {
  /** The part of the status that it describes. */
  readonly about: keyof WorkStatus;
  readonly title: string;
  /** What to do about it, where something can be done. */
  readonly advice: string | undefined;
  readonly lines: readonly string[];
  /** The record of each line, where something can be done about it alone. */
  readonly ids?: readonly string[];
  /** Number of further lines left out. */
  readonly more: number;
}

type RecordOf<Value> = Value extends readonly (infer One)[] ? One : Value;

/** The row from which the part is generated. Its methods take each part's own value, whatever part a list has it of. */
interface StatusRow<Value> {
  readonly title: string;
  readonly advice?: string;
  /** The lines of one record, or of a part that has none. */
  each(record: RecordOf<Value>): string | readonly string[];
  /** Lines after those of the records. */
  also?(value: Value): readonly string[];
  titleNow?(value: Value, now: DateTime): string;
  adviceOn?(value: Value): string;
  idOf?(record: RecordOf<Value>): string;
  /** All are listed. */
  readonly isWhole?: boolean;
}

export type StatusRows = { readonly [About in keyof WorkStatus]?: StatusRow<WorkStatus[About]> };

export function toParts(rows: StatusRows, status: WorkStatus, now: DateTime): StatusPart[] {
  const parts: StatusPart[] = [];
  let about: keyof StatusRows;
  for (about in rows) {
    const row: StatusRow<unknown> | undefined = rows[about];
    if (row) parts.push(toPart(about, row, status[about], now));
  }
  return parts;
}

function toPart(
  about: StatusPart['about'],
  row: StatusRow<unknown>,
  value: WorkStatus[StatusPart['about']],
  now: DateTime,
): StatusPart {
  const records: readonly unknown[] = [value].flat();
  const lines = [...records.flatMap((one) => row.each(one)), ...(row.also?.(value) ?? [])];
  const most = row.isWhole ? lines.length : LISTED;
  return {
    about,
    title: row.titleNow?.(value, now) ?? row.title,
    advice: row.adviceOn?.(value) ?? row.advice,
    ...(row.idOf ? { ids: records.flatMap((one) => row.idOf?.(one) ?? []) } : {}),
    lines: lines.slice(0, most),
    more: lines.length - Math.min(lines.length, most),
  };
}
