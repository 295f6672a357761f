/** Encrypts stored texts: AES-256-GCM under a secret of the settings, bound to an owner. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Marks the format. */
const FORM = 'v1.';

/** The sealed text opens for this owner only. */
export function sealText(secret: string, text: string, owner: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(secret), iv, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(owner),
  );
  const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return FORM + Buffer.concat([iv, cipher.getAuthTag(), hidden]).toString('base64url');
}

/** Opens a text with the first matching secret, returned as `place`; undefined if none matches, or if the text was altered. */
export function unsealText(
  secrets: readonly string[],
  sealed: string,
  owner: string,
): { readonly text: string; readonly place: number } | undefined {
  for (const [place, secret] of secrets.entries()) {
    const text = tryToUnseal(secret, sealed, owner);
    if (text !== undefined) return { text, place };
  }
  return undefined;
}

function tryToUnseal(secret: string, sealed: string, owner: string): string | undefined {
  const bytes = Buffer.from(sealed.slice(FORM.length), 'base64url');
  if (!sealed.startsWith(FORM) || bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, keyOf(secret), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** The secret is long and random, as its setting requires, so it needs no stretching. */
function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'stripe-payment-retry sealed text', 32));
}
