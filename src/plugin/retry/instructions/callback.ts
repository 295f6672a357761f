import { randomBytes } from 'node:crypto';
import { DateTime } from 'luxon';
import { InvalidRequestError } from '../../../core/base/errors.ts';
import { parseInstruction, parseJson } from '../../../core/contract/contract.ts';
import type { Transaction } from '../../../core/database/database.ts';
import { isSameSecret } from '../../../core/web/same-secret.ts';
import type { AccessOf, Accounts } from '../../settings/accounts.ts';
import type { Acknowledgment } from '../../store/tables/retry/acknowledgment.ts';
import type { NewInstruction } from '../../store/tables/retry/instructions.ts';
import { findPause } from '../../store/tables/retry/pauses.ts';
import { findAccountObjection } from '../../store/tables/stored-accounts.ts';
import { foreseeLeftOut } from '../invoice/observation.ts';
import { planInstruction } from './plan-instruction.ts';
import { type PlanningDeps, readPlanningFacts } from './planning-facts.ts';
import type { PushedMessage, PushedSource } from './receive-instruction.ts';
import type { Asked } from './source.ts';

export type CallbackDeps = PlanningDeps & {
  readonly accounts: Pick<Accounts, 'find'>;
  readonly describe: (acknowledgment: Acknowledgment) => string;
  readonly accessOf: AccessOf;
};

/** Address of older services for a takeover, today an envelope. */
const TAKEOVER_PATH = '/pause_collection';

/** The contract's callback. */
export function createCallbackSource(deps: CallbackDeps): PushedSource {
  const nobody = randomBytes(32).toString('hex');
  return {
    name: 'callback',
    paths: ['/recovery_action', TAKEOVER_PATH],
    /** Accepts Bearer with a token of the account, or Basic if configured. An unknown account looks like a wrong token. */
    authenticate: async ({ account, header }) => {
      const { tokens, basic } = (await deps.accessOf(account))?.callback ?? {
        tokens: [nobody],
        basic: undefined,
      };
      const accepted = tokens.map((token) => `Bearer ${token}`);
      if (basic !== undefined) accepted.push(`Basic ${Buffer.from(basic).toString('base64')}`);
      const credential = header('authorization') ?? '';
      const given = normalizeScheme(credential);
      // Every candidate is compared, so that timing reveals nothing.
      const matches = accepted.filter((candidate) => isSameSecret(given, candidate));
      return { credential, isRight: matches.length > 0 };
    },
    read: readCallback,
    answer: async (tx, { instruction, isNew }) => ({
      success: true,
      message: deps.describe(isNew ? await acknowledge(deps, tx, instruction) : { kind: 'known' }),
    }),
  };
}

function readCallback({ path, body }: PushedMessage): Asked {
  const parsed = parseInstruction(parseJson(body), { isTakeover: path.endsWith(TAKEOVER_PATH) });
  if (!parsed.ok) throw new InvalidRequestError(parsed.message);
  const { value } = parsed;
  const isSuggestion = value.type === 'suggestion';
  return {
    requestId: value.requestId,
    type: value.type,
    invoiceId: value.type === 'unknown' ? undefined : value.invoiceId,
    subscriptionId: value.type === 'unknown' ? undefined : value.subscriptionId,
    suggestion: isSuggestion ? value.suggestion : undefined,
    idealRetryAt: isSuggestion ? DateTime.fromISO(value.idealRetryTime, { zone: 'utc' }) : undefined,
    body,
  };
}

/** The scheme's name is case-insensitive (RFC 9110), the credentials are not. */
function normalizeScheme(header: string): string {
  const match = /^(\w+) +(\S.*)$/.exec(header.trim());
  if (!match) return '';
  const [, scheme = '', credentials = ''] = match;
  return `${scheme.charAt(0).toUpperCase()}${scheme.slice(1).toLowerCase()} ${credentials}`;
}

/**
 * The expected result, by stored facts. The planning job asks Stripe and decides. A person's note on a hold is not shown to the
 * service.
 */
async function acknowledge(
  deps: CallbackDeps,
  tx: Transaction,
  instruction: NewInstruction,
): Promise<Acknowledgment> {
  const { account, receivedAt } = instruction;
  const facts = await readPlanningFacts(deps, tx, instruction, receivedAt);
  const plan = planInstruction({
    ...facts,
    accountObjection: await findAccountObjection(tx, deps.accounts, account),
    personsStop: facts.personsStop && { code: 'stopped_by_person' },
  });
  const observedBy = await foreseeLeftOut(deps, tx, { account, plan, invoice: facts.invoice });
  return { kind: 'planned', plan, observedBy, isPaused: (await findPause(tx, account)) !== undefined };
}
