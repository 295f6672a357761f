/** The service's customers. None ever sees what belongs to another: the API key alone says whose a request is. */
import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { StoreUnavailableError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { hashApiKey } from './api-keys.ts';
import type { CallbackTarget } from './callback-client.ts';
import { findOrganizationsOfKey, replaceApiKeys } from './store/api-key-hashes.ts';

export interface Organization {
  readonly name: string;
  readonly apiKeys: readonly string[];
  /** Instructions go to `${baseUrl}/recovery_action`. */
  readonly callback: CallbackTarget;
}

export interface Organizations {
  /** Undefined for one that is not served any more. */
  find(name: string): Organization | undefined;
  /** The name of the organization that a key belongs to, by the key's hash. */
  findByKey(hash: string): Promise<string | undefined>;
  /** Stores the keys, in place of those it had. */
  add(organization: Organization): Promise<void>;
}

interface Sources {
  readonly database: Database;
  readonly clock: Clock;
  /** Those that another process may have added. */
  readonly findElsewhere: (name: string) => Organization | undefined;
}

export function createOrganizations({ database, clock, findElsewhere }: Sources): Organizations {
  const added = new Map<string, Organization>();
  const nameOfKey = new Map<string, string>();
  const find = (name: string) => added.get(name) ?? findElsewhere(name);

  return {
    find,
    findByKey: async (hash) => {
      const known = nameOfKey.get(hash);
      const names = known === undefined ? await listNames(database, hash) : [known];
      return names.find((name) => holdsKey(find(name), hash));
    },
    add: async (organization) => {
      const hashes = organization.apiKeys.map(hashApiKey);
      await replaceApiKeys(database, organization.name, hashes, clock.now());
      added.set(organization.name, organization);
      for (const hash of hashes) nameOfKey.set(hash, organization.name);
    },
  };
}

async function listNames(database: Database, hash: string): Promise<string[]> {
  return findOrganizationsOfKey(database, hash).catch((cause: unknown) => {
    throw new StoreUnavailableError(cause);
  });
}

/** Hashes are looked up, which tells nothing of a key; whether it fits is compared in constant time. */
function holdsKey(organization: Organization | undefined, hash: string): boolean {
  const presented = Buffer.from(hash);
  const matches = (organization?.apiKeys ?? []).filter((key) =>
    timingSafeEqual(Buffer.from(hashApiKey(key)), presented),
  );
  return matches.length > 0;
}
