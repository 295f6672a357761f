/** `POST /app/request`: reads and operations of the Stripe App's views, each request signed by Stripe for its user. */
import express, { type RequestHandler, Router } from 'express';
import type { Logger } from '../../../core/base/logger.ts';
import type { Queryable } from '../../../core/database/database.ts';
import { untouchedBody } from '../../../core/web/bodies-in-flight.ts';
import type { LimitGuesses } from '../../../core/web/guess-limit.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import type { Accounts } from '../../settings/accounts.ts';
import type { Config } from '../../settings/config.ts';
import { useNonce } from '../../store/tables/app-nonces.ts';
import { findAccountObjection } from '../../store/tables/stored-accounts.ts';
import type { Ability } from '../operations/operation.ts';
import { type AppRequest, readSignedRequest, type SignatureCheck } from './app-request.ts';
import type { AnswerDeps } from './define-request.ts';
import { REQUESTS } from './requests.ts';

export interface AppDeps extends Omit<AccountDeps, 'config' | 'database'>, AnswerDeps {
  readonly stripe: SignatureCheck['stripe'];
  readonly limitGuesses: LimitGuesses;
  readonly logger: Logger;
}

/** Nothing without a secret. */
export function createStripeApp(deps: AppDeps): Router {
  const router = Router();
  const { stripeAppSecrets: secrets } = deps.config;
  if (secrets === undefined) return router;
  router.use('/app/request', allowEveryOrigin);
  router.post('/app/request', express.raw({ type: () => true, limit: '64kb' }), async (req, res) => {
    const body = untouchedBody(req) ?? Buffer.alloc(0);
    const limitGuesses: SignatureCheck['limitGuesses'] = (shown) => deps.limitGuesses(req, shown);
    const check = { stripe: deps.stripe, secrets, nowMs: deps.clock.now().toMillis(), limitGuesses };
    const request = await readSignedRequest(check, body, req.get('stripe-signature'));
    try {
      res.json({ success: true, answer: await answer(deps, request) });
    } catch (error) {
      if (!(error instanceof AppRefusal)) throw error;
      const { code, status, message } = error;
      const { user_id: userId, account_id: accountId, request: name } = request;
      deps.logger.warn({ code, userId, accountId, request: name }, 'a request of the Stripe App was refused');
      res.status(status).json({ success: false, code, message });
    }
  });
  return router;
}

/**
 * The views run in a frame whose origin is `null` (stripe-facts 7.5). Cookies are ignored: a request without a signature gets
 * nothing, from any place.
 */
const allowEveryOrigin: RequestHandler = (req, res, next) => {
  res.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store' });
  if (req.method !== 'OPTIONS') return next();
  res.set({
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Stripe-Signature, Content-Type',
    'Access-Control-Max-Age': '600',
  });
  res.status(204).end();
};

async function answer(deps: AppDeps, request: AppRequest): Promise<object> {
  const account = await findAppAccount(deps, request);
  const defined = REQUESTS.get(request.request);
  if (!defined) throw new AppRefusal('request_unknown');
  if (!mayRead(deps.config, request)) throw new AppRefusal('role_missing');
  const abilities = listAbilities(deps.config, request);
  if (defined.needs !== undefined) {
    if (!abilities.includes(defined.needs)) throw new AppRefusal('role_missing');
    const used = { account, nonce: request.nonce };
    if (!(await useNonce(deps.database, used, deps.clock.now()))) throw new AppRefusal('replayed');
  }
  const asked = { account, accountId: request.account_id, userId: request.user_id, abilities };
  return defined.answer(deps, asked, request.parameters);
}

/** Whose records a request is about. The account is signed; whether it is ours to serve is decided here. */
interface AccountDeps {
  readonly config: Pick<Config, 'livemode'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly database: Queryable;
  /** Undefined where the key may not read the account that it belongs to. */
  readonly idOf: (account: string) => Promise<string | undefined>;
  /** Makes the account known: its first view may come before its first event. */
  readonly admit: (account: string) => Promise<void>;
}

/** The account as stored. Throws AppRefusal. */
async function findAppAccount(
  { config, accounts, database, idOf, admit }: AccountDeps,
  { account_id: id, mode }: Pick<AppRequest, 'account_id' | 'mode'>,
): Promise<string> {
  if (config.livemode !== undefined && config.livemode !== (mode === 'live'))
    throw new AppRefusal('other_mode');
  if (id === (await idOf(OWN_ACCOUNT))) return OWN_ACCOUNT;
  const objection = await findAccountObjection(database, accounts, id);
  if (objection?.code === 'account_not_configured') throw new AppRefusal('account_unknown');
  if (objection) throw new AppRefusal('account_disconnected');
  await admit(id);
  return id;
}

/** Why a request that is signed and well formed is not served: a code that the views have words for. */
const REFUSALS = {
  account_unknown: {
    status: 403,
    message: 'This server does not serve the account, or may not read which account its key belongs to.',
  },
  account_disconnected: { status: 403, message: 'The account has revoked access.' },
  other_mode: { status: 409, message: 'This server works with the other mode of Stripe, live or test.' },
  role_missing: { status: 403, message: 'The role of the user does not allow this.' },
  replayed: { status: 409, message: 'This request was carried out before.' },
  request_unknown: {
    status: 404,
    message: 'This server does not know the request: is it older than the app?',
  },
} as const;

type RefusalCode = keyof typeof REFUSALS;

class AppRefusal extends Error {
  readonly code: RefusalCode;
  readonly status: number;

  constructor(code: RefusalCode) {
    super(REFUSALS[code].message);
    this.code = code;
    this.status = REFUSALS[code].status;
  }
}

/** What a role of Stripe's Dashboard lets its user do here. */
type AppRoles = Pick<Config, 'stripeAppRoles'>;
type SignedRoles = Pick<AppRequest, 'stripe_roles'>;

/** Who may act may read. */
export function mayRead({ stripeAppRoles: roles }: AppRoles, request: SignedRoles): boolean {
  return [...roles.map(({ id }) => id), ...CONFIGURERS].some((id) => hasRole(request, id));
}

const CONFIGURERS = ['super_admin', 'admin'];

export function listAbilities({ stripeAppRoles: roles }: AppRoles, request: SignedRoles): Ability[] {
  const may: Readonly<Record<Ability, readonly string[]>> = {
    operate: roles.filter(({ may }) => may === 'operator').map(({ id }) => id),
    configure: CONFIGURERS,
  };
  const abilities: Ability[] = ['operate', 'configure'];
  return abilities.filter((ability) => may[ability].some((id) => hasRole(request, id)));
}

/** Stripe's own roles by their ids; a custom role, whose id could be any word, where the merchant lists it as `custom:ID`. */
function hasRole({ stripe_roles: roles }: SignedRoles, wanted: string): boolean {
  return roles.some(
    ({ id, type }) => id !== undefined && wanted === (type === 'builtIn' ? id : `custom:${id}`),
  );
}
