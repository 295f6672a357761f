/** Entries that only one of two lists has, or one has twice. */
export interface Check {
  /** What holds, with the figures that were compared. */
  readonly name: string;
  /** What differs, each with its id; none if it holds. */
  readonly problems: readonly string[];
}

export function compareIds(
  left: { name: string; ids: readonly string[] },
  right: { name: string; ids: readonly string[] },
): string[] {
  return [...missing(left, right), ...missing(right, left), ...repeated(left), ...repeated(right)];
}

function missing(
  from: { name: string; ids: readonly string[] },
  to: { name: string; ids: readonly string[] },
) {
  const known = new Set(to.ids);
  return from.ids
    .filter((id) => !known.has(id))
    .map((id) => `${id}: ${from.name} has it, ${to.name} has not`);
}

function repeated({ name, ids }: { name: string; ids: readonly string[] }): string[] {
  return ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id}: ${name} has it twice`);
}
