/** The timing policy as the database has it: recalled for a decision, taught what is new, and kept. */
import { DateTime } from 'luxon';
import { tryJson } from '../../core/base/try-json.ts';
import type { ExtendedTransaction } from '../../core/contract/contract-extensions.ts';
import type { Transaction } from '../../core/database/database.ts';
import { findDecline } from '../../core/declines/find-decline.ts';
import { isHealedByTime } from '../policy/classify-decline.ts';
import { createPolicy, type Policy } from '../policy/create-policy.ts';
import { claimUnlearned, findPolicyState, savePolicyState } from '../store/policy-states.ts';
import type { ActionClosure } from '../store/recovery-actions.ts';
import { type CaseSnapshot, toPaymentCase } from './case-snapshot.ts';

export interface PolicyMemory {
  readonly policy: Policy;
  /** Takes in the answers of a case that are new; each counts once, however often it is reported. */
  learnAnswers(snapshot: CaseSnapshot): void;
  /** Takes in what retries came to that were asked for. */
  learnRetries(snapshot: CaseSnapshot, ends: readonly ActionClosure[]): void;
  /** Takes in how a case ended. */
  learnEnd(snapshot: CaseSnapshot, isRecovered: boolean): void;
  /** Writes down what was learned, if anything was. */
  keep(now: DateTime): Promise<void>;
}

interface MemoryOptions {
  organization: string;
  defaultTimeZone: string;
  holdoutPercent: number;
}

/** For decisions about these cases: what is new in them is theirs to learn. */
export async function recallPolicy(
  tx: Transaction,
  { organization, defaultTimeZone, holdoutPercent }: MemoryOptions,
  snapshots: readonly CaseSnapshot[],
): Promise<PolicyMemory> {
  const answers = snapshots.flatMap(listAnswers).map(({ id }) => id);
  const fresh = new Set(await claimUnlearned(tx, organization, answers));
  const stored = await findPolicyState(tx, organization);
  const policy = createPolicy(readState(stored), undefined, holdoutPercent);
  let isChanged = false;
  return {
    policy,
    learnAnswers: (snapshot) => {
      const answers = listAnswers(snapshot);
      answers.forEach((answer, index) => {
        const earlier = answers.slice(0, index);
        const past = listPastOf(snapshot, earlier);
        if (!fresh.has(answer.id) || !isAboutTiming(answer, earlier.at(-1))) return;
        isChanged = true;
        policy.observe({
          kind: 'attempt',
          id: answer.id,
          paymentCase: toPaymentCase({ ...snapshot, past, transactions: earlier }, { defaultTimeZone }),
          at: DateTime.fromISO(answer.createdAt, { zone: 'utc' }),
          isPaid: answer.state === PAID,
        });
      });
    },
    learnRetries: ({ actions, transactions }, ends) => {
      for (const { id, status, transactionId, isExecuted } of ends) {
        const { odds, decidedFor } = actions.find((action) => action.id === id) ?? {};
        const [before, result] = [decidedFor, transactionId].map((one) =>
          transactions.find((transaction) => transaction.id === one),
        );
        // Of an invoice that was paid, the payment may be told later.
        if (!odds || !isExecuted || (result && !isAboutTiming(result, before))) continue;
        isChanged = true;
        policy.observe({ kind: 'retry', id, odds, isPaid: status === 'SUCCEEDED' });
      }
    },
    learnEnd: (snapshot, isRecovered) => {
      const arm = snapshot.actions.find((action) => action.arm === 'engine' || action.arm === 'spread')?.arm;
      if (arm !== 'engine' && arm !== 'spread') return;
      isChanged = true;
      const attempts = listAnswers(snapshot).length - 1;
      policy.observe({ kind: 'closed', id: snapshot.invoice.id, arm, isRecovered, attempts });
    },
    keep: async (now) => {
      if (!isChanged) return;
      await savePolicyState(tx, organization, { state: JSON.stringify(policy.snapshot()), now });
    },
  };
}

const PAID = 'TRANSACTION_STATE_PAID';
const ANSWERS: ReadonlySet<string> = new Set([PAID, 'TRANSACTION_STATE_FAILED']);

function listAnswers({ transactions }: CaseSnapshot): ExtendedTransaction[] {
  return transactions.filter(({ state }) => ANSWERS.has(state));
}

/** What the customer's other invoices told before: since then they have told their own cases. */
function listPastOf({ past }: CaseSnapshot, [first]: readonly ExtendedTransaction[]): CaseSnapshot['past'] {
  return past.filter(({ at }) => first !== undefined && at < DateTime.fromISO(first.createdAt));
}

/** A state that cannot be read is no reason to stop: learning begins anew. */
export function readState(stored: string | undefined): unknown {
  return stored === undefined ? undefined : tryJson(stored);
}

/**
 * A new card, a bank debit, an attempt that no bank answered, or an answer to a refusal that time does not heal says
 * nothing about good times.
 */
function isAboutTiming(answer: ExtendedTransaction, before: ExtendedTransaction | undefined): boolean {
  if (findDecline(answer.paymentGatewayErrorCode)?.isNotSent) return false;
  if (!before || before.state === PAID || before.cardFingerprint !== answer.cardFingerprint) return false;
  return isHealedByTime({ methodType: before.paymentMethodType, code: before.paymentGatewayErrorCode });
}
