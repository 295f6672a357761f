/** The service's customers. None ever sees what belongs to another: the API key alone says whose a request is. */
import { timingSafeEqual } from 'node:crypto';
import type { DateTime } from 'luxon';
import { orUnavailable } from '../../core/base/errors.ts';
import type { Logger } from '../../core/base/logger.ts';
import type { Database } from '../../core/database/database.ts';
import type { BaseDeps } from '../../core/jobs/work-deps.ts';
import type { CallbackTarget } from '../send/callback-client.ts';
import { findKeyHolders, type KeyHolder, recordKeyUse, replaceApiKeys } from '../store/api-keys-made.ts';
import { type Caller, hashApiKey } from './api-keys.ts';

export interface Organization {
  readonly name: string;
  readonly apiKeys: readonly string[];
  /** Instructions go to `${baseUrl}/recovery_action`. */
  readonly callback: CallbackTarget;
}

export interface Organizations {
  /** Undefined for one that is not served any more. */
  find(name: string): Organization | undefined;
  /** Finds the owner of a key by its hash, and counts the key as used. */
  findByKey(hash: string): Promise<Caller | undefined>;
  /** Stores the keys, in place of those it had. */
  add(organization: Organization): Promise<void>;
}

interface Sources extends BaseDeps {
  /** Those that another process may have added. */
  readonly findElsewhere: (name: string) => Organization | undefined;
}

export function createOrganizations({ database, clock, logger, findElsewhere }: Sources): Organizations {
  const added = new Map<string, Organization>();
  const find = (name: string) => added.get(name) ?? findElsewhere(name);
  const noteUse = createUsageNotes(database, logger);

  return {
    find,
    // Read from the database each time, so that a revoked key is invalid immediately, in every process.
    findByKey: async (hash) => {
      const now = clock.now();
      const holders = await orUnavailable(findKeyHolders(database, hash, now));
      const holder = holders.find((one) => isGood(one, find(one.organization), hash));
      if (!holder) return undefined;
      await noteUse(holder.id, now);
      const { id: keyId, organization, requestsPerSecond } = holder;
      return { keyId, keyHash: hash, organization, requestsPerSecond: requestsPerSecond ?? undefined };
    },
    add: async (organization) => {
      const hashes = organization.apiKeys.map(hashApiKey);
      await replaceApiKeys(database, organization.name, hashes, clock.now());
      added.set(organization.name, organization);
    },
  };
}

/** A key of the package is good while the settings have it, a person's while its organization is served. */
function isGood({ madeBy }: KeyHolder, organization: Organization | undefined, hash: string): boolean {
  return madeBy === 'person' ? organization !== undefined : holdsKey(organization, hash);
}

/** Hashes are looked up, which reveals nothing of a key; whether it fits is compared in constant time. */
function holdsKey(organization: Organization | undefined, hash: string): boolean {
  const presented = Buffer.from(hash);
  const matches = (organization?.apiKeys ?? []).filter((key) =>
    timingSafeEqual(Buffer.from(hashApiKey(key)), presented),
  );
  return matches.length > 0;
}

/** When each key was used last, to the minute: a write a request would cost more than most requests do. */
type NoteUse = (keyId: string, now: DateTime) => Promise<void>;

const EVERY_MS = 60_000;

/** A request is answered although its use could not be written down. */
function createUsageNotes(database: Database, logger: Logger): NoteUse {
  const notedAtMs = new Map<string, number>();
  return async (keyId, now) => {
    const before = notedAtMs.get(keyId);
    if (before !== undefined && Math.abs(now.toMillis() - before) < EVERY_MS) return;
    notedAtMs.set(keyId, now.toMillis());
    await recordKeyUse(database, keyId, now).catch((error: unknown) => {
      notedAtMs.delete(keyId);
      logger.warn({ err: error, keyId }, 'the last use of a key could not be recorded');
    });
  };
}
