/** `openid`, which leads to the identity provider, and `openid-callback`, to which the provider leads back. */
import { type Request, Router } from 'express';
import type { Logger } from '../../base/logger.ts';
import { toPlace } from '../page-place.ts';
import type { createOpenId, Proof } from './open-id.ts';
import type { OpenIdSettings } from './operators.ts';
import { createCookie } from './session-cookie.ts';
import { type Desk, openIdBasis, type Refusal } from './sign-in-desk.ts';

interface OpenIdRoutes {
  readonly settings: OpenIdSettings;
  readonly redirectUri: URL;
  readonly desk: Desk;
  readonly logger: Logger;
}

/** Time for typing a password and a second factor there. */
const BACK_WITHIN_SECONDS = 600;

const AWAY: Refusal = {
  status: 502,
  problem: 'The identity provider of OIDC_ISSUER does not answer as it should. The log has the cause.',
};
const UNPROVEN: Refusal = {
  status: 401,
  problem: 'The identity provider did not confirm who you are, or it took too long. Try again.',
};

export function createOpenIdRoutes({ settings, redirectUri, desk, logger }: OpenIdRoutes): Router {
  const router = Router();
  /** Its library is loaded when somebody signs in with it. */
  let provider: ReturnType<typeof createOpenId> | undefined;
  const open = async () => {
    const { createOpenId } = await import('./open-id.ts');
    provider ??= createOpenId(settings, redirectUri);
    return provider;
  };
  const cookie = createCookie('payment_retry_openid', desk.isPublicSecure);
  const logFailure = (request: Request, error: unknown) =>
    logger.warn({ err: error, ip: request.ip }, 'signing in with OpenID Connect failed');

  router.get('/openid', async (request, response) => {
    try {
      const isAgain = request.query.again !== undefined;
      const { url, seed } = await (await open()).begin(isAgain);
      const kept = [seed, isAgain ? 'again' : '', toPlace(request.query.to)].join('.');
      cookie.set(request, response, kept, BACK_WITHIN_SECONDS);
      response.redirect(303, url.href);
    } catch (error) {
      logFailure(request, error);
      desk.show(request, response, AWAY);
    }
  });
  router.get('/openid-callback', async (request, response) => {
    const kept = /^([^.]*)\.([^.]*)\.(.*)$/.exec(cookie.list(request)[0] ?? '');
    const [, seed = '', again = '', place = ''] = kept ?? [];
    const isAgain = again !== '';
    cookie.clear(request, response);
    const query = /\?.*$/s.exec(request.originalUrl)?.[0] ?? '';
    let proof: Proof;
    try {
      proof = await (await open()).finish(query, seed, isAgain);
    } catch (error) {
      logFailure(request, error);
      return desk.turnAway(request, response, UNPROVEN);
    }
    if (proof.kind !== 'proven') return desk.turnAway(request, response, describeProof(proof));
    const { name, role } = proof;
    await desk.welcome(request, response, {
      name,
      basis: openIdBasis(settings, role, isAgain),
      place: toPlace(place),
    });
  });
  return router;
}

function describeProof(proof: Exclude<Proof, { kind: 'proven' }>): Refusal {
  if (proof.kind === 'no_address')
    return {
      status: 403,
      problem: 'The identity provider gave no verified email address, which would name you here.',
    };
  const where = proof.kind === 'no_role' ? 'has no role in OIDC_ROLES' : 'is not in OIDC_ALLOWED';
  return { status: 403, problem: `${proof.name} ${where}.` };
}
