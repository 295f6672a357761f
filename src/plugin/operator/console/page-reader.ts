/** Who reads a page: how the console is named, in which zone and with which figures. */
import type { Request } from 'express';
import { type DateTime, IANAZone } from 'luxon';
import { rootFrom } from '../../../core/web/page-place.ts';

export interface Reader {
  /** How the page names the console's root. */
  readonly root: string;
  /** IANA zone. */
  readonly zone: string;
  /** BCP 47 tag, for figures. */
  readonly locale: string;
  readonly now: DateTime;
}

/** The console's script notes the browser's zone in this cookie; without it times are in UTC. */
export const ZONE_COOKIE = 'payment_retry_zone';

export function readerOf(request: Request, now: DateTime): Reader {
  return { root: rootFrom(request), zone: zoneOf(request), locale: localeOf(request), now };
}

function zoneOf({ headers: { cookie = '' } }: Request): string {
  const pairs = cookie.split(';').map((pair) => pair.trim().split('='));
  const zone = pairs.find(([name]) => name === ZONE_COOKIE)?.[1]?.replaceAll('%2F', '/') ?? '';
  return IANAZone.isValidZone(zone) ? zone : 'UTC';
}

function localeOf(request: Request): string {
  const [first = 'en'] = request.acceptsLanguages();
  try {
    return Intl.getCanonicalLocales(first)[0] ?? 'en';
  } catch {
    return 'en';
  }
}
