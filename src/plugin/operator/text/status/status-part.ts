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

/** The row from which the part is generated. */
export interface StatusRow extends Pick<StatusPart, 'about'> {
  readonly title: string | ((status: WorkStatus, now: DateTime) => string);
  readonly advice?: string | ((status: WorkStatus) => string);
  readonly lines: (status: WorkStatus) => readonly string[];
  readonly ids?: (status: WorkStatus) => readonly string[];
  /** All are listed. */
  readonly isWhole?: boolean;
}

export function toPart(row: StatusRow, status: WorkStatus, now: DateTime): StatusPart {
  const { about, title, advice, ids, isWhole = false } = row;
  const lines = row.lines(status);
  const most = isWhole ? lines.length : LISTED;
  return {
    about,
    title: typeof title === 'string' ? title : title(status, now),
    advice: typeof advice === 'function' ? advice(status) : advice,
    ...(ids ? { ids: ids(status) } : {}),
    lines: lines.slice(0, most),
    more: lines.length - Math.min(lines.length, most),
  };
}
