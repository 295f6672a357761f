import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares in a time that reveals nothing of the secret, not even its length. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
