/** The session's cookie in a request and in an answer. */
import type { Request, Response } from 'express';
import { SESSION_HOURS } from './console-session.ts';

const NAME = 'payment_retry_console';

/** Several may have the name, each for another path. */
export function listCookies({ headers: { cookie = '' } }: Request): string[] {
  return cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${NAME}=`))
    .map((pair) => pair.slice(NAME.length + 1));
}

export function setCookie(request: Request, response: Response, token: string): void {
  write(request, response, token, SESSION_HOURS * 3600);
}

export function clearCookie(request: Request, response: Response): void {
  write(request, response, '', 0);
}

/**
 * Without a path it is good for the folder of the address that sets it, which is `/console` as the browser sees it,
 * wherever the plugin is mounted and whatever a proxy takes off: only `/console/login` and `/console/logout` set it.
 */
function write(request: Request, response: Response, token: string, seconds: number): void {
  const secure = request.secure ? '; Secure' : '';
  response.append('Set-Cookie', `${NAME}=${token}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`);
}
