import type { Request } from 'express';

/**
 * The page's relative path to the root of its router, such as `../`. Links stay right under any mount point and behind a proxy
 * that strips a part of the path.
 */
export function rootFrom(request: Request): string {
  const rest = restOf(request);
  if (rest === '') return `./${request.baseUrl.split('/').at(-1) ?? ''}/`;
  const depth = rest.split('/').length - 2;
  return depth === 0 ? './' : '../'.repeat(depth);
}

/** A path below the root with a list's filters: words alone, so that nothing leads out of it or to another host. It also fits a cookie. */
const PLACE = /^(?!\.)[\w.-]{1,255}(\/(?!\.)[\w.-]{1,255}){0,5}(\?[\w.~%=&+*-]{0,2000})?$/;

/** The part of the address below the router's root, if one may be sent there, with its query. */
export function placeOf(request: Request): string {
  const query = /\?.*$/s.exec(request.originalUrl)?.[0] ?? '';
  return toPlace(`${restOf(request).slice(1)}${query}`);
}

export function toPlace(text: unknown): string {
  return typeof text === 'string' && PLACE.test(text) ? text : '';
}

function restOf({ originalUrl, baseUrl }: Request): string {
  return (originalUrl.split('?')[0] ?? '').slice(baseUrl.length);
}
