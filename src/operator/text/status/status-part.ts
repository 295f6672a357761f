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
  /** So many more lines were left out. */
  readonly more: number;
}

export function part(
  { advice, ...what }: { about: StatusPart['about']; title: string; advice?: string },
  lines: readonly string[],
  most = LISTED,
): StatusPart {
  return { ...what, advice, lines: lines.slice(0, most), more: Math.max(0, lines.length - most) };
}
