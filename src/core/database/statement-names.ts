/** What comes once or twice is not worth the server's memory. */
const USES_BEFORE = 2;
/** A bound for that memory, far above the number of our statements. */
const MOST = 1_000;

/** The names under which sessions keep the statements that come again; always the same, and undefined for one that is not kept. */
export function createStatementNames(): (text: string) => string | undefined {
  const uses = new Map<string, number>();
  const names = new Map<string, string>();
  return (text) => {
    const name = names.get(text);
    if (name !== undefined || names.size >= MOST) return name;
    const count = uses.get(text) ?? 0;
    if (count < USES_BEFORE) {
      if (uses.size < MOST) uses.set(text, count + 1);
      return undefined;
    }
    uses.delete(text);
    const fresh = `payment_retry_${names.size}`;
    names.set(text, fresh);
    return fresh;
  };
}
