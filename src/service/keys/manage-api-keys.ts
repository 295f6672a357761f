/** What a person may do with the API keys, by the command line. A refusal is an answer, in words. */
import { randomBytes } from 'node:crypto';
import type { DateTime } from 'luxon';
import { z } from 'zod';
import type { Clock } from '../../core/base/clock.ts';
import type { Parsed } from '../../core/contract/contract.ts';
import type { Database, Queryable } from '../../core/database/database.ts';
import {
  endApiKey,
  findApiKey,
  insertApiKey,
  listOrganizationNames,
  type NewKey,
  replaceApiKey,
  type StoredKey,
  updateApiKey,
} from '../store/api-keys-made.ts';
import { hashApiKey } from './api-keys.ts';

export interface KeyDeps {
  database: Database;
  clock: Clock;
  /** Who asks for it, by name. */
  by?: string;
  /** Writes a change down, where an audit is kept; both commit together. */
  record?: RecordKeyChange | undefined;
}

export interface KeyChange {
  readonly kind: 'made' | 'rotated' | 'revoked' | 'changed';
  readonly keyId: string;
  readonly organization: string;
  readonly name: string;
  readonly by: string | undefined;
  readonly replacedBy: string | undefined;
}
export type RecordKeyChange = (tx: Queryable, change: KeyChange) => Promise<unknown>;

/** The secret is in this answer and nowhere else: only its hash is stored. */
export interface MadeKey {
  readonly id: string;
  readonly secret: string;
}

export const DEFAULT_GRACE_HOURS = 24;

/** Reads text from a form or a terminal; each refusal names the field. */
export const keyName = z
  .string()
  .trim()
  .regex(/^\P{Cc}{1,100}$/u, 'name: 1 to 100 characters, such as who uses the key');
export const keyLimit = z.coerce
  .number('limit: a whole number from 1 to 10000')
  .int('limit: a whole number from 1 to 10000')
  .min(1, 'limit: a whole number from 1 to 10000')
  .max(10_000, 'limit: a whole number from 1 to 10000');
export const graceHours = z.coerce
  .number('grace: hours from 0 to 720')
  .min(0, 'grace: hours from 0 to 720')
  .max(720, 'grace: hours from 0 to 720');

/** A key without a limit of its own has the service's. */
type KeyWish = Pick<NewKey, 'organization' | 'name' | 'requestsPerSecond'>;

export async function createApiKey(deps: KeyDeps, wish: KeyWish): Promise<Parsed<MadeKey>> {
  const known = await listOrganizationNames(deps.database);
  if (!known.includes(wish.organization)) return refuse(describeUnknown(wish.organization, known));
  const { key, made } = newKey(wish, deps.clock.now());
  await changing(deps, { ...key, kind: 'made', replacedBy: undefined }, (tx) => insertApiKey(tx, key));
  return { ok: true, value: made };
}

/** The old key stays good for the grace time, so that its users can be given the new one. */
export async function rotateApiKey(
  deps: KeyDeps,
  id: string,
  { hours }: { hours: number },
): Promise<Parsed<MadeKey>> {
  const old = await findEndable(deps, id);
  if (!old.ok) return old;
  const now = deps.clock.now();
  const { key, made } = newKey(old.value, now);
  const end = { replacedBy: key.id, expiresAt: now.plus({ hours }) };
  const change = { ...old.value, kind: 'rotated', replacedBy: key.id } as const;
  const isDone = await changing(
    deps,
    change,
    async (tx) => (await replaceApiKey(tx, id, end)) && insertApiKey(tx, key),
  );
  return isDone
    ? { ok: true, value: made }
    : refuse(`${id} is not in use any more: it was rotated or revoked. Rotate the key that replaced it.`);
}

/** Revokes the key in every process immediately. Also ends the grace time of a rotated key. */
export async function revokeApiKey(deps: KeyDeps, id: string): Promise<Parsed<StoredKey>> {
  const key = await findEndable(deps, id);
  if (!key.ok) return key;
  const change = { ...key.value, kind: 'revoked', replacedBy: undefined } as const;
  const isDone = await changing(deps, change, (tx) => endApiKey(tx, id, deps.clock.now()));
  return isDone ? key : refuse(`${id} is not in use any more: nothing was changed.`);
}

/** Changes the name and the limit of any key, the package's own too. Undefined fields stay unchanged. */
export async function changeApiKey(
  deps: KeyDeps,
  id: string,
  change: { name: string | undefined; requestsPerSecond: number | undefined },
): Promise<Parsed<string>> {
  const key = await findApiKey(deps.database, id);
  if (!key) return refuse(describeMissing(id));
  const { name = key.name } = change;
  await changing(deps, { ...key, name, kind: 'changed', replacedBy: undefined }, (tx) =>
    updateApiKey(tx, id, change),
  );
  return { ok: true, value: id };
}

/** Whether it was done; if so, it is in the audit. */
function changing(
  { database, record, by }: KeyDeps,
  { kind, id, organization, name, replacedBy }: Omit<KeyChange, 'keyId' | 'by'> & { readonly id: string },
  change: (tx: Queryable) => Promise<boolean>,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    if (!(await change(tx))) return false;
    await record?.(tx, { kind, keyId: id, organization, name, by, replacedBy });
    return true;
  });
}

/** A key that a person may end. */
async function findEndable({ database }: KeyDeps, id: string): Promise<Parsed<StoredKey>> {
  const key = await findApiKey(database, id);
  if (!key) return refuse(describeMissing(id));
  if (key.madeBy === 'person') return { ok: true, value: key };
  return refuse(
    `${id} is made by the package: the plugin of ${key.organization} sends its records with it, and would make it again at the next start. Set RETRY_SERVICE_API_KEY (of a connected account: retryServiceApiKey), or replace the Stripe key that it is derived from; the old one is then forgotten.`,
  );
}

function describeMissing(id: string): string {
  return `There is no API key ${id}.`;
}

function describeUnknown(organization: string, known: readonly string[]): string {
  if (known.length === 0)
    return 'No organization is known yet: start the service once, then make keys for it.';
  return `There is no organization ${organization}; known: ${known.join(', ')}.`;
}

/** A secret has 256 bits: nothing to guess, so that a plain hash is enough. The prefix lets scanners of leaked secrets know it. */
function newKey(
  { organization, name, requestsPerSecond }: KeyWish,
  now: DateTime,
): { key: NewKey; made: MadeKey } {
  const id = `key_${randomBytes(6).toString('hex')}`;
  const secret = `spr_${randomBytes(32).toString('base64url')}`;
  const fingerprint = { hash: hashApiKey(secret), hint: secret.slice(-4) };
  return { key: { id, organization, name, requestsPerSecond, now, ...fingerprint }, made: { id, secret } };
}

function refuse(message: string): { ok: false; message: string } {
  return { ok: false, message };
}
