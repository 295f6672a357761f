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

/** Below the root: words alone, so that nothing leads out of it or to another host. */
const PLACE = /^(?!\.)[\w.-]{1,255}(\/(?!\.)[\w.-]{1,255}){0,5}$/;

/** The part of the address below the router's root, if one may be sent there. */
export function placeOf(request: Request): string {
  return toPlace(restOf(request).slice(1));
}

export function toPlace(text: unknown): string {
  return typeof text === 'string' && PLACE.test(text) ? text : '';
}

function restOf({ originalUrl, baseUrl }: Request): string {
  return (originalUrl.split('?')[0] ?? '').slice(baseUrl.length);
}
