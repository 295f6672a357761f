import type { Request } from 'express';

/**
 * How a page names the root of its router, such as `../`. Relative, so that links are right wherever the plugin is mounted and
 * whatever part of the path a proxy takes off.
 */
export function rootFrom(request: Request): string {
  const rest = restOf(request);
  if (rest === '') return `./${request.baseUrl.split('/').at(-1) ?? ''}/`;
  const depth = rest.split('/').length - 2;
  return depth === 0 ? './' : '../'.repeat(depth);
}

/**
 * Below the root: words alone, so that nothing leads out of it or to another host, and what a list is filtered by. A cookie
 * takes it, too.
 */
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
