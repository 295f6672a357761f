import type { Request } from 'express';
import { chooseLocale } from '../../mails/languages.ts';

/** The first language of the browser (`Accept-Language`) that has texts, else the merchant's. */
export function chooseReaderLocale(request: Request, merchantLocale: string): string {
  return chooseLocale(request.acceptsLanguages(), merchantLocale);
}
