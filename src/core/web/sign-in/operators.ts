/** People who may see the operator's pages, and how they prove it. */

/** Roles of a person, each with the permissions of those before it. */
export const ROLES = ['reader', 'operator', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

export interface Operator {
  readonly name: string;
  /** Administrator, unless it says otherwise. */
  readonly role?: Role;
  /** Base32 secret of an authenticator, whose code is asked for next to the password. */
  readonly totp?: string;
  readonly secret: { readonly kind: 'plain'; readonly password: string } | PasswordHash;
}

export interface PasswordHash {
  readonly kind: 'scrypt';
  /** log2 of scrypt's N, and its r and p. */
  readonly cost: number;
  readonly blockSize: number;
  readonly parallel: number;
  /** base64url */
  readonly salt: string;
  readonly hash: string;
}

export interface SignInSettings {
  readonly operators: readonly Operator[];
  readonly openId: OpenIdSettings | undefined;
}

export interface OpenIdSettings {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Addresses, and domains with an @ before them, in lower case. */
  readonly allowed: readonly string[];
  /** Which claim gives roles, by its value; without it all are administrators. */
  readonly roles?: { readonly claim: string; readonly byValue: ReadonlyMap<string, Role> };
}

/** The name of the person who signs in with CONSOLE_PASSWORD. */
export const OPERATOR = 'operator';

export function isRole(text: string | undefined): text is Role {
  return ROLES.some((role) => role === text);
}

export function formatPasswordHash({ cost, blockSize, parallel, salt, hash }: PasswordHash): string {
  return ['scrypt', cost, blockSize, parallel, salt, hash].join(':');
}
