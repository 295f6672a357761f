import { emailKind } from '../../actions/action-kinds.ts';

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

const EMAIL_STATES: ReadonlyMap<string, string> = new Map([
  ['sending', 'on its way'],
  ['refused', 'refused by the mail server'],
  ['given_up', 'given up after days of trying'],
]);

/** What an email says, by its template. */
export function describeEmail(template: string): string {
  return emailKind(template)?.says ?? template;
}

export function describeEmailState(state: string): string {
  return EMAIL_STATES.get(state) ?? state;
}
