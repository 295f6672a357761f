/** Answers about access from memory, right within a second of a change in any process. */
import type { Clock } from '../../../core/base/clock.ts';
import { DatabaseAwayError } from '../../../core/base/errors.ts';
import type { Database } from '../../../core/database/database.ts';
import { repeatEvery } from '../../../core/jobs/repeat-every.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';
import { lookForAccessChanges, toAccessKey } from '../../store/tables/access-changes.ts';
import type { CustomerKey } from '../../store/tables/forgotten.ts';
import { type Access, type AccessFacts, type AccessRules, decideAccess } from './access.ts';
import { findAccessFacts } from './customer-state.ts';

export interface CustomerAccess {
  /** While the database is away, customers in memory are answered as last known. */
  read(key: CustomerKey): Promise<Access>;
  stop(): void;
}

interface AccessDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly config: () => AccessRules;
}

const LOOK_MS = 500;
/** A process that was suspended looks before it answers. */
const FRESH_MS = 1_000;
/** Changes are kept for longer than this. */
const KEPT_MS = 300_000;
const MOST_CUSTOMERS = 50_000;

/** Begins to look for changes at the first question, so that others pay nothing. */
export function createCustomerAccess({ database, clock, config }: AccessDeps): CustomerAccess {
  const kept = new Map<string, Promise<AccessFacts>>();
  let position: string | undefined;
  let lookedAt = -Infinity;
  let isAway = false;
  let looking: Promise<void> | undefined;
  let end: (() => void) | undefined;

  async function look(): Promise<void> {
    const now = performance.now();
    try {
      await refreshForReader(database);
      const found = await lookForAccessChanges(database, position);
      if (now - lookedAt > KEPT_MS) kept.clear();
      for (const key of found?.keys ?? []) kept.delete(key);
      [position, lookedAt, isAway] = [found?.position, now, false];
    } catch (error) {
      isAway = error instanceof DatabaseAwayError;
      throw error;
    } finally {
      looking = undefined;
    }
  }
  const lookOnce = () => {
    looking ??= look();
    return looking;
  };

  /** Kept from its beginning: a change that it may have missed deletes it. */
  function find(key: CustomerKey): Promise<AccessFacts> {
    const name = toAccessKey(key);
    const known = kept.get(name);
    if (known) return known;
    const found = findAccessFacts(database, key);
    const forget = () => kept.get(name) === found && kept.delete(name);
    // Somebody without a subscription may be known by what no change of access reports.
    found.then(({ subscriptions }) => subscriptions.length === 0 && forget(), forget);
    kept.set(name, found);
    const [oldest] = kept.keys();
    if (kept.size > MOST_CUSTOMERS && oldest !== undefined) kept.delete(oldest);
    return found;
  }

  return {
    read: async (key) => {
      if (!clock.isSimulated) end ??= repeatEvery(LOOK_MS, () => lookOnce().catch(() => {}));
      const isFresh = !clock.isSimulated && performance.now() - lookedAt < FRESH_MS;
      const isHeld = isAway && kept.has(toAccessKey(key));
      if (!isFresh && !isHeld) await lookOnce();
      return decideAccess(config(), await find(key), clock.now());
    },
    stop: () => end?.(),
  };
}
