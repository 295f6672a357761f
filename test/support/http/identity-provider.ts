/** A real OpenID Connect provider on loopback, at which whoever comes is signed in. */
import { createServer } from 'node:http';
import { closeServer, listenOnLoopback } from './loopback-server.ts';

/** It warns of what suits a test: keys and storage in memory, a Node that it does not name. */
const { default: Provider } = await quietly(() => import('oidc-provider'));

export interface IdentityProvider {
  readonly url: string;
  /** What it says of whoever signs in next. */
  account: { email?: string; email_verified?: boolean; azp?: string; groups?: string[] };
  /** Whether its tokens arrive with a signature that is not its own. */
  isForged: boolean;
  stop(): Promise<void>;
}

export const CLIENT = { client_id: 'payment-retry', client_secret: 'a-secret-of-this-client-alone' };
const SECONDS = 600;

export async function startIdentityProvider(options: {
  redirectUris: readonly string[];
  /** Whether the claims stand in the signed token; else they are asked for. */
  hasClaimsInToken: boolean;
}): Promise<IdentityProvider> {
  let answer: ReturnType<typeof provider.callback> | undefined;
  const server = createServer((request, response) => void answer?.(request, response));
  const url = await listenOnLoopback(server);
  const own: IdentityProvider = { url, account: {}, isForged: false, stop: () => closeServer(server) };
  const ttl = { AccessToken: SECONDS, AuthorizationCode: SECONDS, Grant: SECONDS, IdToken: SECONDS };
  const build = async () =>
    new Provider(url, {
      clients: [{ ...CLIENT, redirect_uris: [...options.redirectUris] }],
      claims: { openid: ['sub', 'azp', 'groups'], email: ['email', 'email_verified'] },
      conformIdTokenClaims: !options.hasClaimsInToken,
      features: { devInteractions: { enabled: false } },
      ttl: { ...ttl, Interaction: SECONDS, Session: SECONDS },
      cookies: { keys: ['cookies of this test'] },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...own.account }) }),
      // Nobody is asked whether this client may know the address.
      loadExistingGrant: async ({ oidc }) => {
        const { client, session, provider: issuer } = oidc;
        if (!client || !session?.accountId) return undefined;
        const grant = new issuer.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope('openid email');
        await grant.save();
        return grant;
      },
    });
  const provider = await quietly(build);
  const callback = provider.callback();
  answer = async (request, response) => {
    if (own.isForged && request.url === '/token') forgeSignature(response);
    if (!request.url?.startsWith('/interaction/')) return callback(request, response);
    return provider.interactionFinished(request, response, { login: { accountId: 'somebody' } });
  };
  return own;
}

/** The claims stay as they are. */
function forgeSignature(response: { end(body: string): unknown }): void {
  const end = response.end.bind(response);
  const forge = (body: unknown) =>
    end(String(body).replace(/("id_token":"[^".]+\.[^".]+\.)(.{20})/, `$1${'A'.repeat(20)}`));
  Object.assign(response, { end: forge });
}

async function quietly<Value>(work: () => Promise<Value>): Promise<Value> {
  const { warn, info } = console;
  Object.assign(console, { warn: () => undefined, info: () => undefined });
  try {
    return await work();
  } finally {
    Object.assign(console, { warn, info });
  }
}
