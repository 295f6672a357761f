/** What our pages have in common: what a browser may do with them, and how the operator's password is guarded. */
import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';

export interface PageRights {
  /** Where its forms, and the redirects that answer them, may lead. */
  readonly formAction?: readonly string[];
  /** A form's Origin is null with `no-referrer`, also on our own page. */
  readonly referrer?: 'same-origin' | 'no-referrer';
  /** Whether scripts from our own paths run, and may read them. */
  readonly scripts?: boolean;
}

/** Refuses everything but one style sheet, known by its hash, forms to the page's own origin, and explicit exceptions. */
export function createPageHeaders(
  style: string,
  { formAction = ["'self'"], referrer = 'same-origin', scripts = false }: PageRights = {},
): RequestHandler[] {
  const hash = createHash('sha256').update(style).digest('base64');
  return [
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          styleSrc: [`'sha256-${hash}'`],
          ...(scripts ? { scriptSrc: ["'self'"], connectSrc: ["'self'"] } : {}),
          formAction: [...formAction],
          frameAncestors: ["'none'"],
          baseUri: ["'none'"],
        },
      },
      xFrameOptions: { action: 'deny' },
      referrerPolicy: { policy: referrer },
      // Whether a whole domain is HTTPS only is for the application around to say.
      strictTransportSecurity: false,
    }),
    (_request, response, next) => {
      response.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex, nofollow' });
      next();
    },
  ];
}

/** Lets one response have a second style sheet, and a picture from one address. Before anything of it is sent. */
export function allowOnPage(
  response: Response,
  { style, picture }: { style: string; picture?: string | undefined },
): void {
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = String(response.getHeader('Content-Security-Policy') ?? '');
  const widened = policy.replace(/style-src [^;]*/, (allowed) => `${allowed} 'sha256-${hash}'`);
  const pictures = picture === undefined ? '' : `;img-src ${new URL(picture).origin}`;
  response.set('Content-Security-Policy', `${widened}${pictures}`);
}

/** The page may show a document of ours in a frame. */
export function allowFrame(response: Response): void {
  const policy = String(response.getHeader('Content-Security-Policy') ?? '');
  response.set('Content-Security-Policy', `${policy};frame-src 'self'`);
}

/** Sandbox flags that a frame also needs for its links to open. */
export const LINKS_OPEN = 'allow-popups allow-popups-to-escape-sandbox';

/** An email as it was sent, for a frame: without scripts, forms, and anything from elsewhere but one picture. Its links lead nowhere, or into a new tab. */
export function sendInFrame(
  response: Response,
  html: string,
  { picture, hasLinks = false }: { picture?: string | undefined; hasLinks?: boolean } = {},
): void {
  const pictures = picture === undefined ? '' : `; img-src ${new URL(picture).origin}`;
  const sandbox = hasLinks ? `sandbox ${LINKS_OPEN}` : 'sandbox';
  const policy = `default-src 'none'; style-src 'unsafe-inline'${pictures}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; ${sandbox}`;
  response.set({ 'Content-Security-Policy': policy, 'X-Frame-Options': 'SAMEORIGIN' });
  // A document in a sandbox is of no origin, so a browser complains of being asked for a process of its origin's own.
  response.removeHeader('Origin-Agent-Cluster');
  response.type('html').send(hasLinks ? html.replace('<head>', '<head><base target="_blank">') : html);
}

/** Whether a form was sent by another site's page, as far as the browser says. */
export function isFromAnotherSite({ headers, host }: Pick<Request, 'headers' | 'host'>): boolean {
  const { 'sec-fetch-site': site, origin } = headers;
  if (site !== undefined) return site !== 'same-origin';
  return origin !== undefined && hostOf(origin) !== host;
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
