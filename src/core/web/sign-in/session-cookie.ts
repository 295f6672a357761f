/** Cookies that prove something: for no script, and sent by no other site's form. */
import type { Request, Response } from 'express';

/**
 * Its prefix binds the cookie over HTTPS to this very host, for all of its paths. Plain HTTP, which is for this machine, allows
 * no such cookie: that one applies to the folder of the address that sets it.
 */
export function createCookie(plainName: string, isPublicSecure: boolean) {
  const isSecure = (request: Request) => isPublicSecure || request.secure;
  const nameFor = (request: Request) => (isSecure(request) ? `__Host-${plainName}` : plainName);
  const set = (request: Request, response: Response, value: string, seconds: number) => {
    const secure = isSecure(request) ? '; Path=/; Secure' : '';
    const cookie = `${nameFor(request)}=${value}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
    response.append('Set-Cookie', cookie);
  };
  return {
    /** Several may have the name, each for another path. */
    list: (request: Request) => listValues(request, nameFor(request)),
    set,
    clear: (request: Request, response: Response) => set(request, response, '', 0),
  };
}

function listValues({ headers: { cookie = '' } }: Request, name: string): string[] {
  return cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
