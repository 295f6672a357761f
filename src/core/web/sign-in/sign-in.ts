/** Signing in to the operator's pages and out of them: `login`, `logout`, `openid` and `openid-callback` below their root. */
import { type RequestHandler, Router } from 'express';
import { findForgery } from '../form-token.ts';
import { limitSignIns } from '../guess-limit.ts';
import { rootFrom, toPlace } from '../page-place.ts';
import { isFromAnotherSite } from '../page-protection.ts';
import { createOpenIdRoutes } from './open-id-routes.ts';
import { OPERATOR, type Operator } from './operators.ts';
import { createPasswordCheck } from './passwords.ts';
import { createDesk, type Desk, enteredIn, readForm, type SignInDeps, signInTokens } from './sign-in-desk.ts';
import { asksForName, NotSignedOut } from './sign-in-view.tsx';

/** `require` redirects a visitor without a session to sign in, and back afterwards. */
export function createSignIn(deps: SignInDeps): {
  readonly router: Router;
  readonly require: RequestHandler;
} {
  const { openId } = deps.settings;
  const router = Router();
  const desk = createDesk(deps);
  const limit = limitSignIns(deps, (request, response) =>
    desk.show(request, response, { status: 429, problem: 'Too many failed sign-ins; wait five minutes.' }),
  );
  router.get('/login', async (request, response) => {
    const isAgain = request.query.again !== undefined;
    if (!isAgain && (await desk.find(request))) response.redirect(303, rootFrom(request));
    else desk.show(request, response);
  });
  router.post('/login', limit, readForm, createPasswordSignIn(deps, desk));
  router.post('/logout', readForm, createSignOut(deps, desk));
  if (openId && deps.rootUrl) {
    const redirectUri = new URL('openid-callback', deps.rootUrl);
    router.use('/openid-callback', limit);
    router.use(createOpenIdRoutes({ settings: openId, redirectUri, desk, logger: deps.logger }));
  }
  return { router, require: desk.require };
}

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
    const { token, username = OPERATOR, password = '', code = '' } = enteredIn(request);
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
    const { token } = enteredIn(request);
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
