/** Signing in with OpenID Connect: the code flow, with PKCE, state and nonce. */
import { createHmac, randomBytes } from 'node:crypto';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client';
import { z } from 'zod';
import { ANSWER_BYTES, askWithin } from '../bounded-answer.ts';
import { ownFetch } from '../in-process-fetch.ts';
import { type OpenIdSettings, ROLES, type Role } from './operators.ts';

export type Proof =
  | { kind: 'proven'; name: string; role: Role }
  | { kind: 'not_allowed' | 'no_role'; name: string }
  | { kind: 'no_address' };

const TIMEOUT_MS = 10_000;
const AGAIN_SECONDS = 600;
const SEED = /^[\w-]{43}$/;

export function createOpenId(settings: OpenIdSettings, redirectUri: URL) {
  const provider = rememberProvider(settings);
  return {
    /** Where the browser goes, and what it must bring back: nothing of it is kept here. */
    begin: async (isAgain: boolean) => {
      const configuration = await provider();
      const seed = randomBytes(32).toString('base64url');
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri.href,
        scope: 'openid email',
        state: fromSeed(seed, 'state'),
        nonce: fromSeed(seed, 'nonce'),
        code_challenge: await calculatePKCECodeChallenge(fromSeed(seed, 'verifier')),
        code_challenge_method: 'S256',
        // A session at the provider is not enough for who is to prove it once more.
        ...(isAgain ? { prompt: 'login', max_age: '0' } : {}),
      });
      return { url, seed };
    },
    /** Rejects if the answer of the provider does not prove anybody. */
    finish: async (query: string, seed: string, isAgain: boolean): Promise<Proof> => {
      if (!SEED.test(seed)) throw new Error('The browser brought nothing back of what it was given.');
      const configuration = await provider();
      const answered = new URL(redirectUri);
      answered.search = query;
      const tokens = await authorizationCodeGrant(configuration, answered, {
        expectedState: fromSeed(seed, 'state'),
        expectedNonce: fromSeed(seed, 'nonce'),
        pkceCodeVerifier: fromSeed(seed, 'verifier'),
        idTokenExpected: true,
        // The browser could have asked for less than instructed.
        ...(isAgain ? { maxAge: AGAIN_SECONDS } : {}),
      });
      // The library looks at it only in a token for several (OpenID Connect Core 3.1.3.7, 5).
      const issuedTo = tokens.claims()?.azp;
      if (issuedTo !== undefined && issuedTo !== settings.clientId)
        throw new Error('The token was issued to another client of this provider.');
      const claims = tokens.claims() ?? {};
      return judge(await readAddress(configuration, tokens), claims, settings);
    },
  };
}

/** Asked for when somebody signs in: a provider that is away must not keep the plugin from starting. */
function rememberProvider({ issuer, clientId, clientSecret }: OpenIdSettings): () => Promise<Configuration> {
  let known: Promise<Configuration> | undefined;
  const execute = [
    enableNonRepudiationChecks,
    // The settings take plain HTTP on loopback only.
    ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : []),
  ];
  return () => {
    known ??= discovery(issuer, clientId, clientSecret, undefined, { execute, [customFetch]: askProvider });
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
}

/** Statuses with which a `Response` takes no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

const askProvider: CustomFetch = async (url, { signal: _, body, ...request }) => {
  const sent = typeof body === 'string' || body == null ? (body ?? undefined) : body.toString();
  const { status, headers, text } = await askWithin(
    ownFetch,
    url,
    { ...request, ...(sent === undefined ? {} : { body: sent }), redirect: 'manual' },
    { withinMs: TIMEOUT_MS, mostBytes: ANSWER_BYTES },
  );
  const type = headers.get('content-type');
  return new Response(WITHOUT_BODY.has(status) ? null : text, {
    status,
    headers: type === null ? {} : { 'content-type': type },
  });
};

const address = z.object({ email: z.email(), email_verified: z.literal(true) });

/** Reads the address from the signed token, else from the provider's user info. Only a verified one identifies a person. */
async function readAddress(
  configuration: Configuration,
  tokens: Awaited<ReturnType<typeof authorizationCodeGrant>>,
): Promise<string | undefined> {
  const claims = tokens.claims();
  const parsed = address.safeParse(claims);
  if (parsed.success) return parsed.data.email.toLowerCase();
  if (!claims || claims.email !== undefined || !configuration.serverMetadata().userinfo_endpoint)
    return undefined;
  const asked = address.safeParse(await fetchUserInfo(configuration, tokens.access_token, claims.sub));
  return asked.data?.email.toLowerCase();
}

function judge(
  name: string | undefined,
  claims: Readonly<Record<string, unknown>>,
  { allowed, roles }: OpenIdSettings,
): Proof {
  if (name === undefined) return { kind: 'no_address' };
  const domain = name.slice(name.lastIndexOf('@'));
  if (!allowed.includes(name) && !allowed.includes(domain)) return { kind: 'not_allowed', name };
  const given = roles && [claims[roles.claim]].flat();
  const role = roles
    ? ROLES.findLast((one) => given?.some((value) => roles.byValue.get(String(value)) === one))
    : 'administrator';
  return role === undefined ? { kind: 'no_role', name } : { kind: 'proven', name, role };
}

/** Derives three values from one random seed, so that the browser has one to keep. */
function fromSeed(seed: string, purpose: string): string {
  return createHmac('sha256', seed).update(purpose).digest('base64url');
}
