import { randomBytes } from 'node:crypto';
import express, { type Request, type RequestHandler, type Router } from 'express';
import { DateTime } from 'luxon';
import { InvalidRequestError, StoreUnavailableError, UnauthorizedError } from '../../../core/base/errors.ts';
import { type Instruction, parseInstruction, parseJson } from '../../../core/contract/contract.ts';
import type { Transaction } from '../../../core/database/database.ts';
import { readWithinLimits, requireUtf8, untouchedBody } from '../../../core/web/bodies-in-flight.ts';
import type { LimitGuesses } from '../../../core/web/guess-limit.ts';
import { traceAnswers } from '../../../core/web/metrics-router.ts';
import { isSameSecret } from '../../../core/web/same-secret.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import type { AccessOf, Accounts } from '../../settings/accounts.ts';
import { isAccountId } from '../../settings/connected-accounts.ts';
import type { Acknowledgment } from '../../store/tables/retry/acknowledgment.ts';
import type { NewInstruction } from '../../store/tables/retry/instructions.ts';
import { findAccountObjection } from '../../store/tables/stored-accounts.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { acceptInstruction } from './accept-instruction.ts';
import { planInstruction } from './plan-instruction.ts';
import { type PlanningDeps, readPlanningFacts } from './planning-facts.ts';

export type CallbackDeps = Pick<RetryDeps, 'database' | 'clock' | 'enqueue'> &
  PlanningDeps & {
    readonly accounts: Pick<Accounts, 'find'>;
    readonly describe: (acknowledgment: Acknowledgment) => string;
    readonly limitGuesses: LimitGuesses;
    readonly accessOf: AccessOf;
  };

const OWN_PATH = '/recovery_action';
const BODY_BYTES = 1024 * 1024;
/** Older services ask at an address of its own for what is an envelope today. */
const TAKEOVER_PATH = '/pause_collection';
const PATHS = [OWN_PATH, TAKEOVER_PATH].flatMap((path) => [path, `/accounts/:account${path}`]);

/**
 * `POST /recovery_action` and `/pause_collection`, and below `/accounts/:account` for a connected one: authenticate, parse, record
 * once, answer. A job does the work.
 */
export function createCallbackRouter(deps: CallbackDeps): Router {
  const router = express.Router();
  router.post(
    PATHS,
    authenticate(deps),
    traceAnswers('POST /recovery_action'),
    readWithinLimits(BODY_BYTES, express.text({ type: () => true, limit: BODY_BYTES, verify: requireUtf8 })),
    async (req, res) => {
      const body = bodyText(req);
      const parsed = parseInstruction(parseJson(body), { isTakeover: req.path.endsWith(TAKEOVER_PATH) });
      if (!parsed.ok) throw new InvalidRequestError(parsed.message);
      const row = toRow(accountOf(req), parsed.value, { body, now: deps.clock.now() });
      res.json({ success: true, message: deps.describe(await record(deps, row)) });
    },
  );
  return router;
}

async function record(deps: CallbackDeps, instruction: NewInstruction): Promise<Acknowledgment> {
  try {
    return await deps.database.transaction(async (tx) => {
      const isNew = await acceptInstruction(tx, deps.enqueue, instruction);
      return isNew ? acknowledge(deps, tx, instruction) : { kind: 'known' };
    });
  } catch (error) {
    throw new StoreUnavailableError(error);
  }
}

/** The plain path is our own account's; what is no account's id is nobody's. */
function accountOf(req: Request): string {
  const { account } = req.params;
  if (account === undefined) return OWN_ACCOUNT;
  return typeof account === 'string' && isAccountId(account) ? account : '';
}

function toRow(
  account: string,
  instruction: Instruction,
  { body, now }: { body: string; now: DateTime },
): NewInstruction {
  const isSuggestion = instruction.type === 'suggestion';
  return {
    account,
    requestId: instruction.requestId,
    source: 'callback',
    receivedAt: now,
    type: instruction.type,
    invoiceId: instruction.type === 'unknown' ? undefined : instruction.invoiceId,
    subscriptionId: instruction.type === 'unknown' ? undefined : instruction.subscriptionId,
    suggestion: isSuggestion ? instruction.suggestion : undefined,
    idealRetryAt: isSuggestion ? DateTime.fromISO(instruction.idealRetryTime, { zone: 'utc' }) : undefined,
    body,
  };
}

/** The host application may have parsed the body already. */
function bodyText(request: Request): string {
  return untouchedBody(request)?.toString('utf8') ?? JSON.stringify(request.body);
}

/**
 * Bearer with one of the account's tokens, or Basic if it is configured. Looked at before the body is read. An account
 * that is not served is answered exactly as a wrong token is.
 */
function authenticate({
  accessOf,
  limitGuesses,
}: Pick<CallbackDeps, 'limitGuesses' | 'accessOf'>): RequestHandler {
  const nobody = randomBytes(32).toString('hex');
  return async (req, _res, next) => {
    const { tokens, basic } = (await accessOf(accountOf(req)))?.callback ?? {
      tokens: [nobody],
      basic: undefined,
    };
    const accepted = tokens.map((token) => `Bearer ${token}`);
    if (basic !== undefined) accepted.push(`Basic ${Buffer.from(basic).toString('base64')}`);
    const credential = req.get('authorization') ?? '';
    const given = normalizeScheme(credential);
    // Every candidate is compared, so that the time taken reveals nothing.
    const matches = accepted.filter((candidate) => isSameSecret(given, candidate));
    await limitGuesses(req, { credential, isRight: matches.length > 0, refusal: new UnauthorizedError() });
    next();
  };
}

/** The scheme's name is not case-sensitive (RFC 9110); the credentials are. */
function normalizeScheme(header: string): string {
  const match = /^(\w+) +(\S.*)$/.exec(header.trim());
  if (!match) return '';
  const [, scheme = '', credentials = ''] = match;
  return `${scheme.charAt(0).toUpperCase()}${scheme.slice(1).toLowerCase()} ${credentials}`;
}

/**
 * What will come of it, as far as that is stored. The job that plans it asks Stripe too, and has the last word; a person's note on why
 * an invoice is held is not the service's to read.
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
  return { kind: 'planned', plan, isObserved: deps.config.mode === 'observe' };
}
