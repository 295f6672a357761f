/** Middleware that lets customers with access pass. One handler serves Express and Hono, which call it with three and with two arguments. */
import type { Access } from '../operator/lists/access.ts';
import type { HostApi } from './host-api.ts';

/** Who asks, and where the denied go. */
export interface AccessGateOptions<Asked> {
  readonly plugin: { readonly customers: Pick<HostApi['customers'], 'access'> };
  /** The Stripe customer of the request (Express) or context (Hono). Undefined: nobody signed in, who is denied. */
  readonly customerOf: (asked: Asked) => string | undefined | Promise<string | undefined>;
  /** Where denied requests are redirected to, such as your billing page; by default they get 402 and the answer as JSON. */
  readonly deniedTo?: string;
}

/** Express's response, as far as it is needed. */
interface HttpResponse {
  locals: object;
  status(code: number): { json(body: unknown): unknown };
  redirect(status: number, url: string): unknown;
}

/** Hono's context, likewise. */
interface HttpContext {
  set(name: 'access', value: Access): void;
  json(body: Access, status: 402): Response;
  redirect(url: string, status: 303): Response;
}

export interface AccessGate<Asked> {
  (request: Asked, response: HttpResponse, next: (error?: unknown) => void): Promise<void>;
  (context: Asked & HttpContext, next: () => Promise<void>): Promise<Response | undefined>;
}

/** Later handlers find the answer as `res.locals.access` in Express, and by `c.get('access')` in Hono. */
export function requireAccess<Asked>(options: AccessGateOptions<Asked>): AccessGate<Asked> {
  const { plugin, customerOf, deniedTo } = options;

  async function ask(asked: Asked): Promise<Access> {
    const customer = await customerOf(asked);
    if (customer !== undefined) return plugin.customers.access(customer);
    return { allowed: false, until: null, reason: 'unknown_customer', next: null };
  }

  async function inExpress(request: Asked, response: HttpResponse, next: (error?: unknown) => void) {
    const access = await ask(request).catch(next);
    if (!access) return;
    Object.assign(response.locals, { access });
    if (access.allowed) next();
    else if (deniedTo === undefined) response.status(402).json(access);
    else response.redirect(303, deniedTo);
  }

  async function inHono(context: Asked & HttpContext, next: () => Promise<void>) {
    const access = await ask(context);
    context.set('access', access);
    if (!access.allowed)
      return deniedTo === undefined ? context.json(access, 402) : context.redirect(deniedTo, 303);
    await next();
    return undefined;
  }

  const gate = (...given: Parameters<typeof inExpress> | Parameters<typeof inHono>) =>
    given.length === 3 ? inExpress(...given) : inHono(...given);
  return gate as AccessGate<Asked>;
}
