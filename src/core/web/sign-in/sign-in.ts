/** Signing in to the operator's pages and out of them: `login`, `logout`, `openid` and `openid-callback` below their root. */
import express, { type RequestHandler, Router } from 'express';
import { z } from 'zod';
import { findForgery } from '../form-token.ts';
import { limitSignIns } from '../guess-limit.ts';
import { rootFrom, toPlace } from '../page-place.ts';
import { isFromAnotherSite } from '../page-protection.ts';
import type { OpenId } from './open-id.ts';
import { createOpenIdRoutes } from './open-id-routes.ts';
import type { OpenIdSettings, Operator } from './operators.ts';
import { OPERATOR } from './operators.ts';
import { createPasswordCheck } from './passwords.ts';
import { createDesk, type Desk, type SignInDeps, signInTokens } from './sign-in-desk.ts';
import { asksForName, NotSignedOut } from './sign-in-view.tsx';

export interface SignIn {
  readonly router: Router;
  /** Redirects a visitor without a session to sign in, and back afterwards. */
  readonly require: RequestHandler;
}

const FORM_LIMIT = '10kb';

export function createSignIn(deps: SignInDeps): SignIn {
  const { home, logger, rootUrl } = deps;
  const { openId } = deps.settings;
  const router = Router();
  const desk = createDesk(deps);
  const readForm = express.urlencoded({ extended: false, limit: FORM_LIMIT });
  const limit = limitSignIns(deps, (request, response) =>
    desk.show(request, response, { status: 429, problem: 'Too many failed sign-ins; wait five minutes.' }),
  );
  router.get('/login', async (request, response) => {
    const isAgain = request.query.again !== undefined;
    if (!isAgain && (await desk.find(request))) response.redirect(303, rootFrom(request) + home);
    else desk.show(request, response);
  });
  router.post('/login', limit, readForm, createPasswordSignIn(deps, desk));
  router.post('/logout', readForm, createSignOut(deps, desk));
  if (openId && rootUrl) {
    const provider = openLazily(openId, new URL('openid-callback', rootUrl));
    router.use('/openid-callback', limit);
    router.use(createOpenIdRoutes({ provider, settings: openId, desk, logger }));
  }
  return { router, require: desk.require };
}

const fields = z
  .object({
    token: z.string().catch(''),
    username: z.string().catch(OPERATOR),
    password: z.string().catch(''),
    code: z.string().catch(''),
  })
  .catch({ token: '', username: '', password: '', code: '' });

function createPasswordSignIn(deps: SignInDeps, desk: Desk): RequestHandler {
  const { operators } = deps.settings;
  const check = createPasswordCheck(operators);
  const isCode = createCodeCheck(deps);
  const hasCodes = operators.some(({ totp }) => totp !== undefined);
  const wrong = hasCodes
    ? 'The name, the password or the code is wrong, or the code was used before.'
    : asksForName(operators)
      ? 'The name or the password is wrong.'
      : 'That is not the password.';
  return async (request, response) => {
    const { token, username, password, code } = fields.parse(request.body);
    if (findForgery(request, token, signInTokens(deps)) !== undefined) {
      const problem = 'The form was too old, or sent by another site. Try again from here.';
      return desk.show(request, response, { status: 403, problem });
    }
    const operator = await check(username, password);
    if (!operator || !(await isCode(operator, code)))
      return desk.turnAway(request, response, { status: 401, problem: wrong });
    const place = toPlace(request.query.to);
    await desk.welcome(request, response, { name: operator.name, basis: ['operator', operator], place });
  };
}

const CODE_SECONDS = 30;

/** Six digits of RFC 6238, a step early or late, each good once in all processes. Who has no authenticator needs none. */
function createCodeCheck({ guesses, clock }: SignInDeps) {
  return async ({ name, totp }: Operator, code: string): Promise<boolean> => {
    if (totp === undefined) return true;
    const { Secret, TOTP } = await import('otpauth');
    const now = clock.now();
    const generator = new TOTP({ secret: Secret.fromBase32(totp), period: CODE_SECONDS });
    const token = code.replaceAll(' ', '');
    const steps = generator.validate({ token, timestamp: now.toMillis(), window: 1 });
    if (steps === null) return false;
    const step = Math.floor(now.toSeconds() / CODE_SECONDS) + steps;
    const { failures } = await guesses.add(`code ${name} ${step}`, now, now.plus({ minutes: 5 }));
    return failures === 1;
  };
}

/** A session that has ended needs no form of its own to end. */
function createSignOut(deps: SignInDeps, desk: Desk): RequestHandler {
  return async (request, response) => {
    const operator = await desk.find(request);
    const { token } = fields.parse(request.body);
    const isForged = operator
      ? findForgery(request, token, [operator.token]) !== undefined
      : isFromAnotherSite(request);
    if (!isForged) return desk.leave(request, response, operator);
    const main = NotSignedOut({ root: rootFrom(request) });
    response
      .status(403)
      .type('html')
      .send(deps.render({ title: 'Not signed out', main }));
  };
}

/** Its library is loaded when somebody signs in with it. */
function openLazily(settings: OpenIdSettings, redirectUri: URL): OpenId {
  let opened: Promise<OpenId> | undefined;
  const open = () => {
    opened ??= import('./open-id.ts').then(({ createOpenId }) => createOpenId(settings, redirectUri));
    return opened;
  };
  return {
    begin: async (isAgain) => (await open()).begin(isAgain),
    finish: async (...answer) => (await open()).finish(...answer),
  };
}
