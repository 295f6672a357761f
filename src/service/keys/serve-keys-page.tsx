/** `/org/api_keys`: the page of API keys on the service's own port, or the way to where it is. */
import { type RequestHandler, Router } from 'express';
import type { ComponentChildren } from 'preact';
import { type PageFrame, renderDocument } from '../../core/web/page-document.tsx';
import { allowOnPage, createPageHeaders } from '../../core/web/page-protection.ts';
import { createSignIn } from '../../core/web/sign-in/sign-in.ts';
import { hasRole, operatorOf, type SignInDeps } from '../../core/web/sign-in/sign-in-desk.ts';
import { createKeysPage, type KeysPageDeps } from './keys-page.ts';
import { FRAME_STYLE } from './keys-page-style.ts';

/** Here for those who sign in here; or with whoever runs this service, who has its operators sign in. */
export type KeysPagePlace =
  | Pick<SignInDeps, 'settings' | 'table' | 'guesses' | 'key'>
  | { readonly url: string };

/** Nothing without a place, and no sign that there could be a page. */
export function serveKeysPage(deps: KeysPageDeps, place: KeysPagePlace | undefined): RequestHandler {
  const router = Router();
  if (place === undefined) return router;
  if ('url' in place) {
    router.get('/org/api_keys', (_request, response) => response.redirect(303, place.url));
    return router;
  }
  const { clock, logger } = deps;
  const signIn = createSignIn({ ...place, clock, logger, home: 'api_keys', render: renderOutside });
  const pages = Router();
  pages.use(...createPageHeaders(FRAME_STYLE), signIn.router);
  pages.all('/api_keys', createKeysPage(deps, { require: [signIn.require, administratorsAlone], send }));
  router.use('/org', pages);
  return router;
}

const administratorsAlone: RequestHandler = (_request, response, next) =>
  next(hasRole(operatorOf(response), 'administrator') ? undefined : 'router');

const send: PageFrame['send'] = (_request, response, { title, main, style }) => {
  const { name, token } = operatorOf(response);
  allowOnPage(response, { style });
  const body = (
    <main>
      <form class="out" method="post" action="logout">
        <input type="hidden" name="token" value={token} />
        <span class="soft">signed in as {name}</span>
        <button type="submit">Sign out</button>
      </form>
      {main}
    </main>
  );
  response.type('html').send(renderDocument({ title, styles: [FRAME_STYLE, style], body }));
};

function renderOutside({ title, main }: { title: string; main: ComponentChildren }): string {
  return renderDocument({ title, styles: [FRAME_STYLE], body: <main>{main}</main> });
}
