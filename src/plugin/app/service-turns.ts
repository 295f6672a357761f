import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../core/base/clock.ts';
import type { Database } from '../../core/database/database.ts';
import { CONCURRENCY, type TakeTurn } from '../clients/key-turns.ts';
import { createRequestBudget } from '../clients/request-budget.ts';
import { freeSlot, slowDown, takeSlot, takeTokens } from '../store/tables/request-budgets.ts';

/** What gathers in a second and what comes in the next are within the contract's hundred together. */
const PER_SECOND = 45;
const WAIT_MS = 50;

/**
 * The contract's five parallel requests and hundred a second, for all processes and accounts with one key. An embedded database
 * has one process, which counts alone, and a simulated clock has no pace. While the database does not answer, each process
 * keeps its own limit.
 */
export function createServiceTurns(database: Database, clock: Clock): TakeTurn | undefined {
  if (database.kind === 'embedded' || clock.isSimulated) return undefined;
  const source = {
    take: (request: Parameters<typeof takeTokens>[1]) => takeTokens(database, request).catch(() => 1),
    slowDown: (key: string, rate: number) => slowDown(database, key, rate),
  };
  const budget = createRequestBudget(source, () => clock.now().toMillis());
  return async (key) => {
    await budget.acquire(key, PER_SECOND, 'payment');
    for (;;) {
      const slot = await takeSlot(database, key, CONCURRENCY).catch(() => null);
      if (slot === null) return async () => {};
      // One that cannot be given back runs out.
      if (slot !== undefined) return () => freeSlot(database, key, slot).catch(() => {});
      await sleep(WAIT_MS);
    }
  };
}
