/** One signed request to the merchant's own server. Everything in it is signed, so that nothing can be changed on the way. */
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
  | { readonly state: 'failed'; readonly message: string };

export async function askBackend<Data>(
  context: ExtensionContextValue,
  { request, parameters = {} }: Question,
): Promise<Answer<Data>> {
  try {
    const { userContext, environment } = context;
    // In this order: the signature is over the text of the body.
    const payload = {
      request,
      mode: environment.mode,
      parameters: JSON.stringify(parameters),
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
      body: JSON.stringify({ ...payload, user_id: userContext.id, account_id: userContext.account.id }),
    });
    const body = await response.json();
    if (response.ok) return { state: 'answered', data: body.answer };
    return { state: 'refused', code: String(body.code), message: String(body.message) };
  } catch (error) {
    return { state: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

/** Live and test have a server each, or share one that refuses the other mode. */
function backendOf({ environment: { constants, mode } }: ExtensionContextValue): string {
  const backends = (constants as { backends?: Partial<Record<Mode, string>> } | undefined)?.backends;
  const address = backends?.[mode];
  if (!address) throw new Error(`The app's manifest names no backend for ${mode} mode.`);
  return address;
}
