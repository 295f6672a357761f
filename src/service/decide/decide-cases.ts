/**
 * The job that looks at invoices. Those of one organization that are asked for at the same time are decided together, in
 * one transaction: a failed payment costs a fraction of its round trips, of its lock and of its commit.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseAwayError } from '../../core/base/errors.ts';
import { createGroupCommit } from '../../core/base/group-commit.ts';
import type { Transaction } from '../../core/database/database.ts';
import { createPolicy } from '../policy/create-policy.ts';
import { DECIDED_TOGETHER, type ServiceDeps, type ServicePayloads } from '../service-queues.ts';
import { type CaseRow, claimCases, openCases } from '../store/payment-cases.ts';
import { lockActionOrder, type NewRecoveryAction } from '../store/recovery-actions.ts';
import { type CaseOutcome, writeOutcomes } from './case-outcome.ts';
import { type CaseSettings, readSnapshots } from './case-snapshot.ts';
import { type CaseInput, decideCase } from './decide-case.ts';

export interface DecideDeps extends ServiceDeps, CaseSettings {
  /** Share of the cases that keep the static schedule. */
  readonly holdoutPercent: number;
}

/** A decision is arithmetic: a whole group of them would hold up every other request of the process. */
const DECIDED_IN_A_TURN = 10;

type Request = ServicePayloads['decide'];

/**
 * Resolves once the case is decided. A group that fails is halved until the cases at fault stand alone, and only theirs
 * reject; while the database is away, all of them do.
 */
export function createDecider(deps: DecideDeps): (request: Request) => Promise<void> {
  const groups = new Map<string, (request: Request) => Promise<void>>();
  return (request) => {
    const { organization } = request;
    const decideTogether =
      groups.get(organization) ??
      createGroupCommit<Request>((requests) => decideCases(deps, organization, requests), {
        maxItems: DECIDED_TOGETHER,
        mayBeHalved: (error) => !(error instanceof DatabaseAwayError),
      });
    groups.set(organization, decideTogether);
    return decideTogether(request);
  };
}

async function decideCases(
  deps: DecideDeps,
  organization: string,
  requests: readonly Request[],
): Promise<void> {
  const invoiceIds = [...new Set(requests.map(({ invoiceId }) => invoiceId))];
  const outcomes = await deps.database.transaction(async (tx) => {
    await openCases(tx, organization, invoiceIds, deps.clock.now());
    const claimed = await claimCases(tx, organization, invoiceIds);
    if (claimed.length === 0) return [];
    await lockActionOrder(tx, organization);
    const now = deps.clock.now();
    const held = await readCases(tx, organization, invoiceIds, claimed);
    const policy = createPolicy(deps);
    const decided: CaseOutcome[] = [];
    for (const one of held) {
      decided.push(decideCase({ ...one, now, policy, settings: deps }));
      if (decided.length % DECIDED_IN_A_TURN === 0) await nextTurn();
    }
    await writeOutcomes(tx, { ...deps, organization }, decided, now);
    return decided;
  });
  for (const { invoiceId, news, action } of outcomes) {
    if (action) deps.measures.count('retry_service_instructions_total', { suggestion: nameOf(action) });
    const causedBy = requests.find((request) => request.invoiceId === invoiceId)?.requestId;
    if (news) deps.logger.info({ invoiceId, causedBy, ...news.fields }, news.message);
  }
}

function nameOf({ suggestion }: Pick<NewRecoveryAction, 'suggestion'>): string {
  return suggestion.replace('ACTION_SUGGESTION_', '').toLowerCase();
}

/** Cases in the requested order. */
async function readCases(
  tx: Transaction,
  organization: string,
  invoiceIds: readonly string[],
  claimed: readonly CaseRow[],
): Promise<Pick<CaseInput, 'row' | 'snapshot'>[]> {
  const rows = new Map(claimed.map((row) => [row.invoiceId, row]));
  const snapshots = await readSnapshots(tx, organization, [...rows.keys()]);
  return invoiceIds.flatMap((invoiceId) => {
    const [row, snapshot] = [rows.get(invoiceId), snapshots.get(invoiceId)];
    return row && snapshot ? [{ row, snapshot }] : [];
  });
}
