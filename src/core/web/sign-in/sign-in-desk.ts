/** What all ways of signing in have in common: the session behind a cookie, and what it rests on. */
import { createHmac } from 'node:crypto';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { DateTime } from 'luxon';
import type { ComponentChildren } from 'preact';
import { z } from 'zod';
import { formTokensOf } from '../form-token.ts';
import type { GuessDeps } from '../guess-limit.ts';
import { placeOf, rootFrom, toPlace } from '../page-place.ts';
import { isFromAnotherSite } from '../page-protection.ts';
import type { OpenIdSettings, SignInSettings } from './operators.ts';
import { ROLES, type Role } from './operators.ts';
import { createCookie } from './session-cookie.ts';
import { createSessions, SESSION_SECONDS, type SessionTable, type SignedIn } from './sessions.ts';
import { SignInView } from './sign-in-view.tsx';

export interface SignInDeps extends GuessDeps {
  readonly settings: SignInSettings;
  readonly table: SessionTable;
  /** The same in every process; what it signs is of use to nobody without it. */
  readonly key: string;
  /** The pages' root as browsers see it, with a slash at its end, if that is known. OpenID Connect needs it. */
  readonly rootUrl: URL | undefined;
  /** The page of a form that was sent after the session ended, with its entries. */
  readonly placeOfForm: (request: Request, fields: Readonly<Record<string, string>>) => string;
  readonly render: (page: { title: string; main: ComponentChildren }) => string;
  /** Writes down who came, went, or was turned away. */
  readonly note: (event: SignInEvent) => Promise<void>;
}

export interface SignInEvent {
  readonly kind: 'signed_in' | 'signed_out' | 'sign_in_failed';
  /** Absent for a refused visitor. */
  readonly by?: string;
  readonly address: string | undefined;
  /** How many were turned away and not written down before this one. */
  readonly unnoted?: number;
}

export interface Refusal {
  readonly status: number;
  readonly problem: string;
}

/** Somebody who has proven who it is, by what of the settings, and the page that was asked for. */
interface Arrival {
  readonly name: string;
  readonly basis: Basis;
  readonly place: string;
}

/** Who asked for the page that is answered. Behind `require` alone. */
export function operatorOf(response: Response): SignedIn {
  const operator: SignedIn | undefined = response.locals.operator;
  if (operator === undefined) throw new Error('A page was asked for past the sign-in.');
  return operator;
}

/** Whether somebody with one role may do what another one is for. */
export function hasRole({ role }: Pick<SignedIn, 'role'>, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

const PROVEN_MINUTES = 10;

/** Required before irreversible operations: a browser that was left open proves nobody. */
export function isJustProven({ provenAt }: Pick<SignedIn, 'provenAt'>, now: DateTime): boolean {
  return provenAt !== undefined && provenAt >= now.minus({ minutes: PROVEN_MINUTES });
}

export type Desk = ReturnType<typeof createDesk>;

/** Where sign-ins by every way begin and end. */
export function createDesk(deps: SignInDeps) {
  const { logger, settings, key } = deps;
  const sessions = createSessions(deps.table, deps.clock);
  const isPublicSecure = deps.rootUrl?.protocol === 'https:';
  const cookie = createCookie('payment_retry_session', isPublicSecure);
  const idsOf = (request: Request) => cookie.list(request).slice(0, MOST_COOKIES);
  const isNoted = createThrottle(deps.clock);
  const bases = new Map(listBases(settings).map((one) => [accessOf(key, one.basis), one]));

  const find = async (request: Request): Promise<SignedIn | undefined> => {
    for (const id of idsOf(request)) {
      const session = await sessions.find(id);
      const base = session && bases.get(session.access);
      if (!session || !base) continue;
      const { role, isProven } = base;
      return { ...session, role, provenAt: isProven ? session.provenAt : undefined };
    }
    return undefined;
  };
  const end = async (request: Request): Promise<void> => {
    for (const id of idsOf(request)) await sessions.end(id);
  };
  const show = (request: Request, response: Response, refusal?: Refusal) =>
    showForm(deps, request, response, refusal);
  const require: RequestHandler = async (request, response, next) => {
    const operator = await find(request);
    if (!operator) return askToSignIn(deps, request, response, idsOf(request).length > 0);
    response.locals.operator = operator;
    next();
  };
  return {
    isPublicSecure,
    find,
    show,
    require,
    /** Always with a new id, so that nobody can prepare one for another; the one before it ends. */
    welcome: async (request: Request, response: Response, { name, basis, place }: Arrival) => {
      await end(request);
      await deps.note({ kind: 'signed_in', by: name, address: request.ip });
      cookie.set(request, response, await sessions.begin(name, accessOf(key, basis)), SESSION_SECONDS);
      logger.info({ ip: request.ip, operator: name }, 'an operator signed in');
      response.redirect(303, rootFrom(request) + place);
    },
    leave: async (request: Request, response: Response, operator: SignedIn | undefined) => {
      await end(request);
      cookie.clear(request, response);
      if (operator) {
        await deps.note({ kind: 'signed_out', by: operator.name, address: request.ip });
        logger.info({ ip: request.ip, operator: operator.name }, 'an operator signed out');
      }
      response.redirect(303, `${rootFrom(request)}login`);
    },
    /** Records a visitor who failed to prove an identity. */
    turnAway: async (request: Request, response: Response, refusal: Refusal) => {
      const unnoted = isNoted();
      if (unnoted !== undefined) {
        const more = unnoted > 0 ? { unnoted } : {};
        await deps.note({ kind: 'sign_in_failed', address: request.ip, ...more });
      }
      show(request, response, refusal);
    },
  };
}

/** Refused visitors recorded in an hour: the log has all of them, and nobody fills a table. */
const NOTED_AN_HOUR = 20;

/** How many were passed over since the last one that was written down; undefined for one that is passed over, too. */
function createThrottle(clock: SignInDeps['clock']): () => number | undefined {
  let [hour, noted, passedOver] = [0, 0, 0];
  return () => {
    const now = Math.floor(clock.now().toMillis() / 3_600_000);
    if (now !== hour) [hour, noted] = [now, 0];
    noted += 1;
    if (noted > NOTED_AN_HOUR) {
      passedOver += 1;
      return undefined;
    }
    const before = passedOver;
    passedOver = 0;
    return before;
  };
}

/** A browser sends few of one name; each costs a look into the database. */
const MOST_COOKIES = 4;

/** Reads the entries of a form, which are few and short. */
export const readForm = express.urlencoded({ extended: false, limit: '10kb' });
const fields = z
  .record(z.string(), z.union([z.string(), z.array(z.string()).transform((values) => values.join())]))
  .catch({});

/** The entries of a form; a field with several values has them separated by commas. */
export function enteredIn(request: Request): Readonly<Record<string, string>> {
  return fields.parse(request.body);
}

/** Keeps the requested page with its filters, and the entries of a form of ours, for after the sign-in. */
async function askToSignIn(
  { placeOfForm }: Pick<SignInDeps, 'placeOfForm'>,
  request: Request,
  response: Response,
  wasSignedIn: boolean,
): Promise<void> {
  let place = placeOf(request);
  if (request.method === 'POST' && !isFromAnotherSite(request)) {
    await new Promise<void>((done) => readForm(request, response, () => done()));
    place = toPlace(placeOfForm(request, enteredIn(request)));
  }
  const query = new URLSearchParams({ ...(place && { to: place }), ...(wasSignedIn && { over: 'yes' }) });
  response.redirect(303, `${rootFrom(request)}login${query.size === 0 ? '' : `?${query}`}`);
}

function showForm(deps: SignInDeps, request: Request, response: Response, refusal?: Refusal): void {
  const { settings, logger } = deps;
  if (refusal) logger.warn({ ip: request.ip, reason: refusal.problem }, 'a sign-in failed');
  const [token] = signInTokens(deps);
  const place = toPlace(request.query.to);
  const isAgain = request.query.again !== undefined;
  const isOver = request.query.over !== undefined;
  const main = SignInView({ settings, token, problem: refusal?.problem, isOver, place, isAgain });
  response
    .status(refusal?.status ?? 200)
    .type('html')
    .send(deps.render({ title: 'Sign in', main }));
}

/** The form to sign in has no session yet. */
export function signInTokens({ key, clock }: Pick<SignInDeps, 'key' | 'clock'>) {
  return formTokensOf(key, 'sign in', clock.now());
}

/** What a sign-in rests on: an operator with another password, or none, is not signed in any more. */
export type Basis = readonly [kind: 'operator' | 'openid' | 'openid again', setting: unknown, role?: Role];

interface Based {
  readonly basis: Basis;
  readonly role: Role;
  /** Whether the secret was shown then, which a session at a provider does not need. */
  readonly isProven: boolean;
}

function listBases({ operators, openId }: SignInSettings): Based[] {
  return [
    ...operators.map((operator) => ({
      basis: ['operator', operator] as const,
      role: operator.role ?? ('administrator' as const),
      isProven: true,
    })),
    ...(openId
      ? ROLES.flatMap((role) =>
          [false, true].map((isProven) => ({
            basis: openIdBasis(openId, role, isProven),
            role,
            isProven,
          })),
        )
      : []),
  ];
}

/** Includes the role: a changed role requires a new sign-in. */
export function openIdBasis(openId: OpenIdSettings, role: Role, isProven: boolean): Basis {
  const { roles, ...settings } = openId;
  return [
    isProven ? 'openid again' : 'openid',
    { ...settings, roles: roles && [roles.claim, ...roles.byValue] },
    role,
  ];
}

function accessOf(key: string, basis: Basis): string {
  return createHmac('sha256', key).update(JSON.stringify(basis)).digest('base64url');
}
