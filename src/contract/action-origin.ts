/** Who caused an action: `instruction:…` a request of the retry service, `card-change:…` a card that the customer chose. */

/** Followed by the identity of the card. */
export const CARD_CHANGE_ORIGIN = 'card-change:';

/** Another card that the customer saved is tried; followed by the identity of the card. */
export const BACKUP_ORIGIN = 'backup:';

export function isBackup(origin: string): boolean {
  return origin.startsWith(BACKUP_ORIGIN);
}

export function isCausedByCardChange(origin: string): boolean {
  return origin.startsWith(CARD_CHANGE_ORIGIN);
}
