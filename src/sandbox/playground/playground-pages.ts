/** What a browser gets: the page, its script, and each mail as the customer gets it. */
import type { Router } from 'express';
import { allowFrame, createPageHeaders, sendInFrame } from '../../http/page-protection.ts';
import { PLAYGROUND_SCRIPT } from './playground-script.ts';
import { PLAYGROUND_STYLE } from './playground-style.ts';
import { renderPlayground, type Shown } from './playground-view.tsx';

export function addPages(router: Router, shown: Shown): void {
  const headers = createPageHeaders(PLAYGROUND_STYLE, { scripts: true });
  router.get('/', ...headers, (_request, response) => {
    allowFrame(response);
    response.type('html').send(renderPlayground(shown));
  });
  router.get('/playground.js', ...headers, (_request, response) => {
    response.type('text/javascript').send(PLAYGROUND_SCRIPT);
  });
  router.get('/mails/:number', ...headers, (request, response, next) => {
    const arrived = shown.mails[Number(request.params.number) - 1];
    if (arrived) sendInFrame(response, arrived.mail.html, { hasLinks: true });
    else next();
  });
}
