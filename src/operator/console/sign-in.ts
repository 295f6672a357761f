/** `/console/login` and `/console/logout`. */
import express, { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import { findForgery, formTokensOf } from '../../http/form-token.ts';
import { isFromAnotherSite, limitGuesses } from '../../http/page-protection.ts';
import { isSameSecret } from '../../http/same-secret.ts';
import type { Logger } from '../../logger.ts';
import { clearCookie, listCookies, setCookie } from './console-cookie.ts';
import { renderOuterPage } from './console-layout.tsx';
import { placeOf, rootFrom, toPlace } from './console-place.ts';
import { createSession, formTokenOf, readSession, type Session } from './console-session.ts';
import { NotSignedOut, SignInView } from './sign-in-view.tsx';

export interface SignInDeps {
  readonly password: string;
  /** That sessions and forms are signed with. */
  readonly key: Buffer;
  readonly clock: Clock;
  readonly logger: Logger;
}

const FORM_LIMIT = '10kb';

export function createSignIn(deps: SignInDeps): Router {
  const router = Router();
  const readForm = express.urlencoded({ extended: false, limit: FORM_LIMIT });
  const limit = limitGuesses(deps.logger, (request, response) => {
    deps.logger.warn({ ip: request.ip }, 'too many wrong passwords for the console');
    showForm(deps, response, { status: 429, problem: 'Too many wrong passwords; wait five minutes.' });
  });
  router.get('/login', (request, response) => {
    if (findSession(deps, request)) return response.redirect(303, rootFrom(request));
    showForm(deps, response);
  });
  router.post('/login', limit, readForm, (request, response) => signIn(deps, request, response));
  router.post('/logout', readForm, (request, response) => signOut(deps, request, response));
  return router;
}

export function findSession({ key, clock }: SignInDeps, request: Request): Session | undefined {
  const now = clock.now();
  return listCookies(request)
    .map((token) => readSession(token, key, now))
    .find((session) => session !== undefined);
}

/** Whoever is not signed in is sent here, and back afterwards. */
export function askToSignIn(request: Request, response: Response): void {
  const place = placeOf(request);
  const query = place === '' ? '' : `?to=${encodeURIComponent(place)}`;
  response.redirect(303, `${rootFrom(request)}login${query}`);
}

function signIn(deps: SignInDeps, request: Request, response: Response): void {
  const refusal = findRefusal(deps, request);
  if (refusal) {
    deps.logger.warn(
      { ip: request.ip, reason: refusal.problem },
      'somebody could not sign in to the console',
    );
    showForm(deps, response, refusal);
    return;
  }
  deps.logger.info({ ip: request.ip }, 'somebody signed in to the console');
  setCookie(request, response, createSession(deps.key, deps.clock.now()).token);
  response.redirect(303, `${rootFrom(request)}${toPlace(request.query.to)}`);
}

interface Refusal {
  readonly status: number;
  readonly problem: string;
}

function findRefusal({ key, clock, password }: SignInDeps, request: Request): Refusal | undefined {
  const form = fieldsOf(request);
  if (findForgery(request, form.token, signInTokens({ key, clock })) !== undefined)
    return { status: 403, problem: 'The form was too old, or sent by another site. Try again from here.' };
  return isSameSecret(form.password, password)
    ? undefined
    : { status: 401, problem: 'That is not the password.' };
}

/** A session that has ended needs no form of its own to end. */
function signOut(deps: SignInDeps, request: Request, response: Response): void {
  const session = findSession(deps, request);
  const { token } = fieldsOf(request);
  const isForged =
    session === undefined
      ? isFromAnotherSite(request)
      : findForgery(request, token, [formTokenOf(session, deps.key)]) !== undefined;
  if (isForged) {
    const main = NotSignedOut({ root: rootFrom(request) });
    response
      .status(403)
      .type('html')
      .send(renderOuterPage({ title: 'Not signed out', main }));
    return;
  }
  clearCookie(request, response);
  response.redirect(303, `${rootFrom(request)}login`);
}

/** The form to sign in has no session yet. */
function signInTokens({ key, clock }: Pick<SignInDeps, 'key' | 'clock'>) {
  return formTokensOf(key, 'console sign in', clock.now());
}

const fields = z
  .object({ token: z.string().catch(''), password: z.string().catch('') })
  .catch({ token: '', password: '' });

function fieldsOf(request: Request): z.infer<typeof fields> {
  return fields.parse(request.body);
}

function showForm({ key, clock }: SignInDeps, response: Response, refusal?: Refusal): void {
  const [token] = signInTokens({ key, clock });
  const main = SignInView({ token, problem: refusal?.problem });
  response
    .status(refusal?.status ?? 200)
    .type('html')
    .send(renderOuterPage({ title: 'Sign in', main }));
}
