/** Who caused an action: `instruction:…` a request of the retry service, `card-change:…` a card that the customer chose, `operator:…` a person. */

/** Followed by the identity of the card. */
export const CARD_CHANGE_ORIGIN = 'card-change:';

/** Another card that the customer saved is tried; followed by the identity of the card. */
export const BACKUP_ORIGIN = 'backup:';

/** An invoice that had failed was paid with another method, and not by us; followed by its charge. */
export const PAID_OTHERWISE_ORIGIN = 'paid-otherwise:';

/** A mail to a customer who asked to end and is not charged. */
export const ENDING_CUSTOMER_ORIGIN = 'cancel-request';

/** Followed by an id of its own. */
export const OPERATOR_ORIGIN = 'operator:';

export function isOfOperator(origin: string): boolean {
  return origin.startsWith(OPERATOR_ORIGIN);
}

export function isBackup(origin: string): boolean {
  return origin.startsWith(BACKUP_ORIGIN);
}

export function isPaidOtherwise(origin: string): boolean {
  return origin.startsWith(PAID_OTHERWISE_ORIGIN);
}

export function isCausedByCardChange(origin: string): boolean {
  return origin.startsWith(CARD_CHANGE_ORIGIN);
}
