/** The states that work is counted by, where the code alone does not say enough. */
const STATES: ReadonlyMap<string, string> = new Map([
  ['account_not_configured', 'of accounts not configured'],
  ['access_revoked', 'of accounts that revoked access'],
]);

const BY_BACKUP = /_by_backup$/;
const AS_PREVENTION = /_as_prevention$/;

export function describeState(state: string): string {
  return (
    STATES.get(state) ??
    state
      .replace(BY_BACKUP, ' by another saved card')
      .replace(AS_PREVENTION, ' before a card expired (prevention)')
      .replaceAll('_', ' ')
  );
}
