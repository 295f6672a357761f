/** Whoever plays is the operator: the console is open without a password, also when its sessions have aged by weeks in a minute. */
import express, { type RequestHandler } from 'express';
import { createInProcessFetch, IN_PROCESS_URL } from '../../http/in-process-fetch.ts';
import { toPlace } from '../../http/page-place.ts';
import type { Plugin } from '../../plugin/plugin.ts';

const TOKEN = /name="token" value="([^"]+)"/;
const SIGN_IN_WITHIN_MS = 10_000;

/** In place of the page to sign in: signs in with the password as a person would, and goes where one wanted to. */
export function openConsole({ plugin, password }: { plugin: Plugin; password: string }): RequestHandler {
  const ask = createInProcessFetch(express().use(plugin.router));
  return async (request, response) => {
    const place = toPlace(request.query.to);
    const login = `${IN_PROCESS_URL}/console/login`;
    const shared = { redirect: 'manual', signal: AbortSignal.timeout(SIGN_IN_WITHIN_MS) } as const;
    const form = await ask(login, { ...shared, method: 'GET', headers: {} });
    const token = TOKEN.exec(await form.text())?.[1] ?? '';
    const answer = await ask(login, {
      ...{ ...shared, method: 'POST' },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token, password }).toString(),
    });
    for (const cookie of answer.headers.getSetCookie()) response.append('Set-Cookie', cookie);
    response.redirect(303, `./${place}`);
  };
}
