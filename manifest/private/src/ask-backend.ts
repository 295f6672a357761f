/**
 * One signed request to the merchant's own server. Stripe is given what it signs in an address, which servers on the way may log:
 * the parameters, which may hold credentials, go beside it, and their digest is signed.
 */
import type { ExtensionContextValue } from '@stripe/ui-extension-sdk/context';
import { fetchStripeSignature } from '@stripe/ui-extension-sdk/utils/signature.js';

export type Mode = 'live' | 'test';

export interface Question {
  readonly request: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export type Answer<Data> =
  | { readonly state: 'answered'; readonly data: Data }
  /** The backend says why: `role_missing`, `account_unknown`, `other_mode` … */
  | { readonly state: 'refused'; readonly code: string; readonly message: string }
  /** `isForbidden`: this account has not allowed the app to reach the address, as after the server has moved. */
  | { readonly state: 'failed'; readonly message: string; readonly isForbidden?: boolean };

export async function askBackend<Data>(
  context: ExtensionContextValue,
  { request, parameters = {} }: Question,
): Promise<Answer<Data>> {
  try {
    const { userContext, environment } = context;
    const sent = JSON.stringify(parameters);
    // In this order: the signature is over the text.
    const payload = {
      request,
      mode: environment.mode,
      parameters_sha256: await sha256(sent),
      nonce: crypto.randomUUID(),
      stripe_roles: (userContext.roles ?? []).map(({ id, name, type }) => ({
        ...(id ? { id } : {}),
        name,
        type,
      })),
    };
    const response = await fetch(new URL('request', backendOf(context)), {
      method: 'POST',
      headers: {
        'Stripe-Signature': await fetchStripeSignature(payload),
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({
        signed: JSON.stringify({ ...payload, user_id: userContext.id, account_id: userContext.account.id }),
        parameters: sent,
      }),
    });
    const body = await response.json();
    if (response.ok) return { state: 'answered', data: body.answer };
    return { state: 'refused', code: String(body.code), message: String(body.message) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { state: 'failed', message, isForbidden: isForbidden(context) };
  }
}

/** The browser ends a request that the policy forbids as one to a server that is down. */
function isForbidden(context: ExtensionContextValue): boolean {
  const allowed = context.appContext?.authorizedContentSecurityPolicy?.connectSrc;
  const { backends } = readConstants(context);
  const address = backends?.[context.environment.mode];
  return Boolean(allowed && address && !allowed.some((source) => address.startsWith(source)));
}

/** In hexadecimal digits. */
async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Live and test have a server each, or share one that refuses the other mode. */
function backendOf(context: ExtensionContextValue): string {
  const { mode } = context.environment;
  const address = readConstants(context).backends?.[mode];
  if (!address) throw new Error(`The app's manifest names no backend for ${mode} mode.`);
  return address;
}

const readConstants = ({ environment: { constants } }: ExtensionContextValue) =>
  (constants ?? {}) as { backends?: Partial<Record<Mode, string>> };
