/** What a person may do with the API keys, by the command line or by the page. A refusal is an answer, in words. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../core/base/clock.ts';
import type { Logger } from '../../core/base/logger.ts';
import type { Parsed } from '../../core/contract/contract.ts';
import type { Database, Queryable } from '../../core/database/database.ts';
import {
  endApiKey,
  findApiKey,
  insertApiKey,
  listOrganizationNames,
  replaceApiKey,
  type StoredKey,
  updateApiKey,
} from '../store/api-keys-made.ts';
import { hashApiKey } from './api-keys.ts';

export interface KeyDeps {
  database: Database;
  clock: Clock;
  logger: Logger;
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
const keyId = z.string().regex(/^key_[0-9a-f]{12}$/);

export interface KeyWish {
  /** Given before, so that a form that is sent twice makes one key. */
  readonly id?: string;
  readonly organization: string;
  readonly name: string;
  /** Undefined: the service's own limit. */
  readonly requestsPerSecond: number | undefined;
}

export function newKeyId(): string {
  return `key_${randomBytes(6).toString('hex')}`;
}

export async function createApiKey(deps: KeyDeps, wish: KeyWish): Promise<Parsed<MadeKey>> {
  const id = wish.id ?? newKeyId();
  if (!keyId.safeParse(id).success) return refuse(`${id} is not an id of a key.`);
  const known = await listOrganizationNames(deps.database);
  if (!known.includes(wish.organization)) return refuse(describeUnknown(wish.organization, known));
  const secret = newSecret();
  const now = deps.clock.now();
  const { organization, name, requestsPerSecond = null } = wish;
  const key = { id, organization, name, requestsPerSecond, now, ...fingerprint(secret) };
  const isNew = await changing(deps, { ...key, kind: 'made', replacedBy: undefined }, (tx) =>
    insertApiKey(tx, key),
  );
  if (!isNew)
    return refuse(`${id} was made already, and its secret shown then. If it is lost, rotate the key.`);
  deps.logger.info({ keyId: id, organization: wish.organization, by: deps.by }, 'an API key was made');
  return { ok: true, value: { id, secret } };
}

/** The old key stays good for the grace time, so that its users can be given the new one. */
export async function rotateApiKey(
  deps: KeyDeps,
  id: string,
  { hours }: { hours: number },
): Promise<Parsed<MadeKey>> {
  const old = await findApiKey(deps.database, id);
  const objection = objectTo(id, old);
  if (objection !== undefined || !old) return refuse(objection ?? describeMissing(id));
  const now = deps.clock.now();
  const secret = newSecret();
  const replacedBy = newKeyId();
  const { organization, name, requestsPerSecond } = old;
  const isDone = await changing(deps, { kind: 'rotated', ...old, replacedBy }, async (tx) => {
    const end = { replacedBy, expiresAt: now.plus({ hours }) };
    if (!(await replaceApiKey(tx, id, end))) return false;
    const next = { id: replacedBy, organization, name, requestsPerSecond, now };
    return insertApiKey(tx, { ...next, ...fingerprint(secret) });
  });
  if (!isDone)
    return refuse(
      `${id} is not in use any more: it was rotated or revoked. Rotate the key that replaced it.`,
    );
  deps.logger.info(
    { keyId: id, organization, replacedBy, graceHours: hours, by: deps.by },
    'an API key was rotated',
  );
  return { ok: true, value: { id: replacedBy, secret } };
}

/** Revokes the key in every process immediately. Also ends the grace time of a rotated key. */
export async function revokeApiKey(deps: KeyDeps, id: string): Promise<Parsed<StoredKey>> {
  const key = await findApiKey(deps.database, id);
  const objection = objectTo(id, key);
  if (objection !== undefined || !key) return refuse(objection ?? describeMissing(id));
  const now = deps.clock.now();
  if (
    !(await changing(deps, { ...key, kind: 'revoked', replacedBy: undefined }, (tx) =>
      endApiKey(tx, id, now),
    ))
  )
    return refuse(`${id} is not in use any more: nothing was changed.`);
  deps.logger.info({ keyId: id, organization: key.organization, by: deps.by }, 'an API key was revoked');
  return { ok: true, value: key };
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
  deps.logger.info({ keyId: id, ...change, by: deps.by }, 'an API key was changed');
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

/** Why a person may not end the key. */
function objectTo(id: string, key: StoredKey | undefined): string | undefined {
  if (!key) return describeMissing(id);
  if (key.madeBy === 'person') return undefined;
  return `${id} is made by the package: the plugin of ${key.organization} sends its records with it, and would make it again at the next start. Set RETRY_SERVICE_API_KEY (of a connected account: retryServiceApiKey), or replace the Stripe key that it is derived from; the old one is then forgotten.`;
}

function describeMissing(id: string): string {
  return `There is no API key ${id}.`;
}

function describeUnknown(organization: string, known: readonly string[]): string {
  if (known.length === 0)
    return 'No organization is known yet: start the service once, then make keys for it.';
  return `There is no organization ${organization}; known: ${known.join(', ')}.`;
}

/** 256 bits: nothing to guess, so that a plain hash is enough. The prefix lets scanners of leaked secrets know it. */
function newSecret(): string {
  return `spr_${randomBytes(32).toString('base64url')}`;
}

function fingerprint(secret: string): { hash: string; hint: string } {
  return { hash: hashApiKey(secret), hint: secret.slice(-4) };
}

function refuse(message: string): { ok: false; message: string } {
  return { ok: false, message };
}
