/** A page's reader: how the console is named, and how figures are written. The time zone is the account's. */
import type { Request } from 'express';
import type { DateTime } from 'luxon';
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

export function readerOf(request: Request, now: DateTime, zone: string): Reader {
  return { root: rootFrom(request), zone, locale: localeOf(request), now };
}

function localeOf(request: Request): string {
  const [first = 'en'] = request.acceptsLanguages();
  try {
    return Intl.getCanonicalLocales(first)[0] ?? 'en';
  } catch {
    return 'en';
  }
}
